import { join } from "node:path";

import { arrayAt, recordAt, stringAt, valueAt } from "@ccl/core/json";

import { ownCommand, ownWords } from "../own-command.ts";
import { claudeOf, codexOf, configOf } from "../user-places.ts";
import { type FindBlock, withBlock, withoutBlock } from "./appended-block.ts";
import { type ClientSettings, jsonSettings, type SettingsOf } from "./client-settings.ts";
import { newMember, withoutValue, withValue } from "./json-text.ts";

/**
 * Settings of the coding agents whose results ccl can shorten without a proxy: the files in which each looks for ccl's
 * hook.
 */
export const hookSettings: ReadonlyMap<string, SettingsOf> = new Map(
  Object.entries<SettingsOf>({
    "claude-code": ({ root, terminal }, project) =>
      claudeCode(
        join(project ? join(root, ".claude") : claudeOf(terminal.env), "settings.json"),
        `${ownWords(terminal)} shrink --hook`,
      ),
    codex: ({ root, terminal }, project) => {
      const block = agentsBlock(ownWords(terminal));
      return {
        path: join(project ? root : codexOf(terminal.env), "AGENTS.md"),
        edit: (text) => withBlock(text, block, findBlock),
        remove: (text) => withoutBlock(text, findBlock),
      };
    },
    opencode: ({ root, terminal }, project) => {
      const folder = project ? join(root, ".opencode") : join(configOf(terminal.env), "opencode");
      return {
        path: join(folder, "plugins", "ccl-shrink.js"),
        edit: () => plugin(ownCommand(terminal)),
        remove: (text) => (text.startsWith("// Written by `ccl") ? "" : text),
      };
    },
  }),
);

/** Edits the hook that runs after each command. Claude Code uses its answer as the result. */
function claudeCode(path: string, command: string): ClientSettings {
  const list = ["hooks", "PostToolUse"];
  const entry = { matcher: "Bash", hooks: [{ type: "command", command }] };
  /**
   * Returns the paths of what ccl wrote, also from another folder: a whole entry, or one of its hooks if the user added
   * others.
   */
  const ownPaths = (value: unknown): { path: string[]; at: string[] }[] =>
    arrayAt(recordAt(value, "hooks"), "PostToolUse").flatMap((matcher, at) => {
      const all = arrayAt(matcher, "hooks");
      return all.flatMap((hook, place) => {
        if (!/ccl\S* shrink --hook$/.test(stringAt(hook, "command") ?? "")) return [];
        const inner = [...list, `${at}`, "hooks", `${place}`];
        return [{ path: all.length > 1 ? inner : [...list, `${at}`], at: inner }];
      });
    });
  return jsonSettings(path, JSON.stringify({ hooks: { PostToolUse: [entry] } }), {
    edit(text, value) {
      const hookPath = ownPaths(value)[0]?.at;
      if (hookPath === undefined) return withValue(text, [...list, newMember], entry);
      const known = stringAt(valueAt(value, hookPath), "command");
      return known === command ? text : withValue(text, [...hookPath, "command"], command);
    },
    remove: (text, value, kept) =>
      ownPaths(value).reduceRight(
        (rest, { path: hookPath }) => withoutValue(rest, hookPath, kept),
        text,
      ),
  });
}

const [start, end] = ["<!-- ccl shrink -->", "<!-- /ccl shrink -->"];

/** Codex's hooks see a result but cannot replace it, so ccl instructs the model instead. */
const agentsBlock = (ccl: string): string => `${start}
Pipe commands that may print more than 100 lines through \`${ccl} shrink "what you look for"\`, for example
\`npm test 2>&1 | ${ccl} shrink "why red?"\`. It shows what matters and says how to read the rest. Do not pipe
what you are going to edit or quote, and use \`set -o pipefail\` where the exit code counts.
${end}
`;

const findBlock: FindBlock = (text) => {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) return undefined;
  const lineEnd = /^\r?\n/.exec(text.slice(to + end.length))?.[0] ?? "";
  return { from, to: to + end.length + lineEnd.length };
};

/** opencode lets a plugin change the result of a command. */
const plugin = ({
  program,
  args,
}: ReturnType<
  typeof ownCommand
>): string => `// Written by \`ccl hooks install opencode\`; \`ccl hooks uninstall opencode\` takes it away.
import { spawnSync } from "node:child_process";

export const CclShrink = async () => ({
  "tool.execute.after": async (input, output) => {
    if (input.tool !== "bash" || typeof output.output !== "string" || output.output.length < 8000) return;
    const { status, stdout } = spawnSync(${JSON.stringify(program)}, [...${JSON.stringify(args)}, "shrink", String(input.args?.command ?? "")], {
      input: output.output,
      encoding: "utf8",
      timeout: 20000,
      maxBuffer: 2 ** 26,
    });
    if (status === 0 && stdout !== "" && stdout.length < output.output.length) output.output = stdout;
  },
});
`;
