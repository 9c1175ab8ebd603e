import { homedir } from "node:os";
import { join } from "node:path";

import { isRecord, type JsonRecord, parseJson } from "@ccl/core/json";

import { CliError } from "../cli-error.ts";
import type { ClientSettings } from "../output/change-settings.ts";
import { ownCommand } from "../own-command.ts";
import type { Session } from "../session.ts";

/** MCP clients whose settings ccl knows. */
export const clientNames = ["claude-code", "codex", "cursor", "vscode", "opencode"] as const;

/** One of them. */
export type ClientName = (typeof clientNames)[number];

/** True for a name of the list. */
export function isClientName(name: string): name is ClientName {
  return clientNames.some((known) => known === name);
}

/** Where a client looks for its servers: for the user, or for the project alone. */
export function clientSettings(
  client: ClientName,
  { root, terminal }: Session,
  { project }: { project: boolean },
): ClientSettings {
  const { env, platform } = terminal;
  const home = env["HOME"] ?? env["USERPROFILE"] ?? homedir();
  const standard = env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const own = ownCommand(terminal);
  const [program, args] = [own.program, [...own.args, "mcp"]];
  switch (client) {
    case "claude-code":
      return json(project ? join(root, ".mcp.json") : join(home, ".claude.json"), "mcpServers", {
        type: "stdio",
        command: program,
        args,
      });
    case "cursor":
      return json(join(project ? root : home, ".cursor", "mcp.json"), "mcpServers", {
        command: program,
        args,
      });
    case "vscode":
      return json(
        project
          ? join(root, ".vscode", "mcp.json")
          : join(vsCodeFolder(home, { env, platform, standard }), "User", "mcp.json"),
        "servers",
        { type: "stdio", command: program, args },
      );
    case "opencode":
      return json(
        project ? join(root, "opencode.json") : join(standard, "opencode", "opencode.json"),
        "mcp",
        { type: "local", command: [program, ...args], enabled: true },
      );
    case "codex":
      return {
        path: join(
          project ? join(root, ".codex") : (env["CODEX_HOME"] ?? join(home, ".codex")),
          "config.toml",
        ),
        edit: (text, isRemoval) =>
          editToml(
            text,
            isRemoval,
            `${table}\ncommand = ${JSON.stringify(program)}\nargs = ${JSON.stringify(args)}\n`,
          ),
      };
  }
}

function vsCodeFolder(
  home: string,
  {
    env,
    platform,
    standard,
  }: { env: NodeJS.ProcessEnv; platform: NodeJS.Platform; standard: string },
): string {
  if (platform === "win32") return join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "Code");
  if (platform === "darwin") return join(home, "Library", "Application Support", "Code");
  return join(standard, "Code");
}

/** JSON keeps its own indent; a file with comments is refused rather than stripped of them. */
function json(path: string, key: string, entry: JsonRecord): ClientSettings {
  return {
    path,
    edit(text, isRemoval) {
      const settings = text.trim() === "" ? {} : parseJson(text);
      if (!isRecord(settings))
        throw new CliError(
          "usage",
          `${path} holds no plain JSON object (comments?). Add this to it by hand: ${JSON.stringify({ [key]: { ccl: entry } })}`,
        );
      const servers = settings[key] ?? {};
      if (!isRecord(servers)) throw new CliError("usage", `${path}: "${key}" is no object.`);
      const { ccl: known, ...others } = servers;
      if (isRemoval ? known === undefined : JSON.stringify(known) === JSON.stringify(entry))
        return text;
      const { [key]: _, ...rest } = settings;
      const kept = Object.keys(others).length > 0 || settings[key] === undefined;
      const without = kept ? { ...settings, [key]: others } : rest;
      const next = isRemoval ? without : { ...settings, [key]: { ...servers, ccl: entry } };
      if (isRemoval && Object.keys(next).length === 0) return "";
      const indent = /^\s*\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
      return `${JSON.stringify(next, null, indent)}${text === "" || text.endsWith("\n") ? "\n" : ""}`;
    },
  };
}

const table = "[mcp_servers.ccl]";
/** The table of ccl at the end of the file; all other lines stay as they are. */
function editToml(text: string, isRemoval: boolean, tomlEntry: string): string {
  if (!isRemoval && text.includes(tomlEntry)) return text;
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.trim() === table);
  if (start >= 0) {
    const length = lines.slice(start + 1).findIndex((line) => /^\s*\[/.test(line));
    lines.splice(start, length < 0 ? lines.length - start : length + 1);
  } else if (isRemoval) return text;
  const rest = lines.join("\n").replace(/\n+$/, "");
  if (isRemoval) return rest === "" ? "" : `${rest}\n`;
  return rest === "" ? tomlEntry : `${rest}\n\n${tomlEntry}`;
}
