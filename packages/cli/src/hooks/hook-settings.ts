import { homedir } from "node:os";
import { join } from "node:path";

import { arrayAt, isRecord, parseJson, recordAt, stringAt } from "@ccl/core/json";

import { CliError } from "../cli-error.ts";
import type { ClientSettings } from "../output/change-settings.ts";
import type { Session } from "../session.ts";

/** Coding agents whose results ccl can shorten without a proxy. */
export const hookClients = ["claude-code", "codex", "opencode"] as const;

/** One of them. */
export type HookClient = (typeof hookClients)[number];

/** True for a name of the list. */
export function isHookClient(name: string): name is HookClient {
  return hookClients.some((client) => client === name);
}

const hookCommand = "npx -y @ccl/cli shrink --hook";

/** Where an agent looks for what ccl writes: for the user, or for the project alone. */
export function hookSettings(
  client: HookClient,
  { root, terminal: { env } }: Session,
  { project }: { project: boolean },
): ClientSettings {
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  switch (client) {
    case "claude-code":
      return claudeCode(join(project ? root : home, ".claude", "settings.json"));
    case "codex": {
      const folder = project ? root : (env["CODEX_HOME"] ?? join(home, ".codex"));
      return { path: join(folder, "AGENTS.md"), edit: editAgents };
    }
    case "opencode": {
      const standard = join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "opencode");
      const path = join(project ? join(root, ".opencode") : standard, "plugins", "ccl-shrink.js");
      return { path, edit: (_, isRemoval) => (isRemoval ? "" : plugin) };
    }
  }
}

/** A hook behind each command; Claude Code takes its answer in place of the result. */
function claudeCode(path: string): ClientSettings {
  const entry = { matcher: "Bash", hooks: [{ type: "command", command: hookCommand }] };
  const isOwn = (hook: unknown): boolean =>
    arrayAt(hook, "hooks").some((one) => stringAt(one, "command") === hookCommand);
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
      if (listed.some(isOwn) !== isRemoval) return text;
      const next = isRemoval ? listed.filter((hook) => !isOwn(hook)) : [...listed, entry];
      const { PostToolUse: _, ...others } = hooks;
      const allHooks = next.length > 0 ? { ...hooks, PostToolUse: next } : others;
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
const agentsBlock = `${start}
Pipe commands that may print more than 100 lines through \`npx -y @ccl/cli shrink "what you look for"\`, for example
\`npm test 2>&1 | npx -y @ccl/cli shrink "why red?"\`. It shows what matters and says how to read the rest. Do not pipe
what you are going to edit or quote, and use \`set -o pipefail\` where the exit code counts.
${end}
`;

function editAgents(text: string, isRemoval: boolean): string {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) {
    if (isRemoval) return text;
    return text === "" ? agentsBlock : `${text.replace(/\n+$/, "")}\n\n${agentsBlock}`;
  }
  const before = text.slice(0, from).replace(/\n+$/, "");
  const after = text.slice(to + end.length).replace(/^\n+/, "");
  const rest = [before, after].filter((part) => part !== "").join("\n\n");
  if (!isRemoval)
    return text.slice(from, to + end.length + 1) === agentsBlock ? text : editAgents(rest, false);
  return rest === "" || rest.endsWith("\n") ? rest : `${rest}\n`;
}

/** opencode gives a plugin the result of a command to change. */
const plugin = `// Written by \`ccl hooks install opencode\`; \`ccl hooks uninstall opencode\` takes it away.
import { spawnSync } from "node:child_process";

export const CclShrink = async () => ({
  "tool.execute.after": async (input, output) => {
    if (input.tool !== "bash" || typeof output.output !== "string" || output.output.length < 8000) return;
    const { status, stdout } = spawnSync("npx", ["-y", "@ccl/cli", "shrink", String(input.args?.command ?? "")], {
      input: output.output,
      encoding: "utf8",
      timeout: 20000,
      maxBuffer: 2 ** 26,
      shell: process.platform === "win32",
    });
    if (status === 0 && stdout !== "" && stdout.length < output.output.length) output.output = stdout;
  },
});
`;
