import { homedir } from "node:os";
import { join } from "node:path";

import { arrayAt, isRecord, parseJson, recordAt, stringAt } from "@ccl/core/json";

import { CliError } from "../cli-error.ts";
import type { ClientSettings } from "../output/change-settings.ts";
import { ownCommand, ownWords } from "../own-command.ts";
import type { Session } from "../session.ts";

/** Coding agents whose results ccl can shorten without a proxy. */
export const hookClients = ["claude-code", "codex", "opencode"] as const;

/** One of them. */
export type HookClient = (typeof hookClients)[number];

/** True for a name of the list. */
export function isHookClient(name: string): name is HookClient {
  return hookClients.some((client) => client === name);
}

/** Where an agent looks for what ccl writes: for the user, or for the project alone. */
export function hookSettings(
  client: HookClient,
  { root, terminal }: Session,
  { project }: { project: boolean },
): ClientSettings {
  const { env } = terminal;
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  switch (client) {
    case "claude-code":
      return claudeCode(
        join(project ? root : home, ".claude", "settings.json"),
        `${ownWords(terminal)} shrink --hook`,
      );
    case "codex": {
      const folder = project ? root : (env["CODEX_HOME"] ?? join(home, ".codex"));
      const block = agentsBlock(ownWords(terminal));
      return {
        path: join(folder, "AGENTS.md"),
        edit: (text, isRemoval) => editAgents(text, isRemoval, block),
      };
    }
    case "opencode": {
      const standard = join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "opencode");
      const path = join(project ? join(root, ".opencode") : standard, "plugins", "ccl-shrink.js");
      return { path, edit: (_, isRemoval) => (isRemoval ? "" : plugin(ownCommand(terminal))) };
    }
  }
}

/** A hook behind each command; Claude Code takes its answer in place of the result. */
function claudeCode(path: string, command: string): ClientSettings {
  const entry = { matcher: "Bash", hooks: [{ type: "command", command }] };
  const commandsOf = (hook: unknown): (string | undefined)[] =>
    arrayAt(hook, "hooks").map((one) => stringAt(one, "command"));
  // Of another place of ccl too, which it takes the place of.
  const isOwn = (hook: unknown): boolean =>
    commandsOf(hook).some((one) => /ccl\S* shrink --hook$/.test(one ?? ""));
  return {
    path,
    edit(text, isRemoval) {
      const settings = text.trim() === "" ? {} : parseJson(text);
      if (!isRecord(settings) || (settings["hooks"] !== undefined && !isRecord(settings["hooks"])))
        throw new CliError(
          "usage",
          `${path} holds no plain JSON object (comments?). Add this to its hooks by hand: ${JSON.stringify({ PostToolUse: [entry] })}`,
        );
      const hooks = recordAt(settings, "hooks") ?? {};
      const listed = arrayAt(hooks, "PostToolUse");
      const own = listed.filter(isOwn);
      if (isRemoval ? own.length === 0 : own.some((hook) => commandsOf(hook).includes(command)))
        return text;
      const others = listed.filter((hook) => !isOwn(hook));
      const next = isRemoval ? others : [...others, entry];
      const { PostToolUse: _, ...otherHooks } = hooks;
      const allHooks = next.length > 0 ? { ...hooks, PostToolUse: next } : otherHooks;
      const { hooks: __, ...rest } = settings;
      const all = Object.keys(allHooks).length > 0 ? { ...settings, hooks: allHooks } : rest;
      if (isRemoval && Object.keys(all).length === 0) return "";
      const indent = /^\s*\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
      return `${JSON.stringify(all, null, indent)}${text === "" || text.endsWith("\n") ? "\n" : ""}`;
    },
  };
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
