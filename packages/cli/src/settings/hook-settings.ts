import { join } from "node:path";

import { arrayAt, isRecord, stringAt } from "@ccl/core/json";

import { CliError } from "../cli-error.ts";
import { ownCommand, ownWords } from "../own-command.ts";
import { codexOf, configOf, homeOf } from "../user-places.ts";
import type { ClientSettings, SettingsOf } from "./change-settings.ts";
import { jsonSettings, withMember } from "./json-settings.ts";

/** By the name of a coding agent whose results ccl can shorten without a proxy: where it looks for what ccl writes. */
export const hookSettings: ReadonlyMap<string, SettingsOf> = new Map(
  Object.entries<SettingsOf>({
    "claude-code": ({ root, terminal }, project) =>
      claudeCode(
        join(project ? root : homeOf(terminal.env), ".claude", "settings.json"),
        `${ownWords(terminal)} shrink --hook`,
      ),
    codex: ({ root, terminal }, project) => {
      const block = agentsBlock(ownWords(terminal));
      return {
        path: join(project ? root : codexOf(terminal.env), "AGENTS.md"),
        edit: (text, isRemoval) => editAgents(text, isRemoval, block),
      };
    },
    opencode: ({ root, terminal }, project) => {
      const folder = project ? join(root, ".opencode") : join(configOf(terminal.env), "opencode");
      return {
        path: join(folder, "plugins", "ccl-shrink.js"),
        edit: (_, isRemoval) => (isRemoval ? "" : plugin(ownCommand(terminal))),
      };
    },
  }),
);

/** A hook behind each command; Claude Code takes its answer in place of the result. */
function claudeCode(path: string, command: string): ClientSettings {
  const entry = { matcher: "Bash", hooks: [{ type: "command", command }] };
  const commandsOf = (hook: unknown): (string | undefined)[] =>
    arrayAt(hook, "hooks").map((one) => stringAt(one, "command"));
  // Of another place of ccl too, which it takes the place of.
  const isOwn = (hook: unknown): boolean =>
    commandsOf(hook).some((one) => /ccl\S* shrink --hook$/.test(one ?? ""));
  const byHand = `its hooks by hand: ${JSON.stringify({ PostToolUse: [entry] })}`;
  return jsonSettings(path, byHand, (settings, isRemoval) => {
    const hooks = settings["hooks"] ?? {};
    if (!isRecord(hooks)) throw new CliError("usage", `${path}: "hooks" is no object.`);
    const listed = arrayAt(hooks, "PostToolUse");
    const own = listed.filter(isOwn);
    if (isRemoval ? own.length === 0 : own.some((hook) => commandsOf(hook).includes(command)))
      return undefined;
    const others = listed.filter((hook) => !isOwn(hook));
    const { PostToolUse: _, ...otherHooks } = hooks;
    const next = isRemoval ? others : [...others, entry];
    const all = next.length > 0 ? { ...hooks, PostToolUse: next } : otherHooks;
    return withMember(settings, "hooks", all);
  });
}

const [start, end] = ["<!-- ccl shrink -->", "<!-- /ccl shrink -->"];

/** Hooks of Codex see a result and can't replace it, so that its model is asked to. */
const agentsBlock = (ccl: string): string => `${start}
Pipe commands that may print more than 100 lines through \`${ccl} shrink "what you look for"\`, for example
\`npm test 2>&1 | ${ccl} shrink "why red?"\`. It shows what matters and says how to read the rest. Do not pipe
what you are going to edit or quote, and use \`set -o pipefail\` where the exit code counts.
${end}
`;

function editAgents(text: string, isRemoval: boolean, block: string): string {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) {
    if (isRemoval) return text;
    return text === "" ? block : `${text.replace(/\n+$/, "")}\n\n${block}`;
  }
  const before = text.slice(0, from).replace(/\n+$/, "");
  const after = text.slice(to + end.length).replace(/^\n+/, "");
  const rest = [before, after].filter((part) => part !== "").join("\n\n");
  if (!isRemoval)
    return text.slice(from, to + end.length + 1) === block ? text : editAgents(rest, false, block);
  return rest === "" || rest.endsWith("\n") ? rest : `${rest}\n`;
}

/** opencode gives a plugin the result of a command to change. */
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
