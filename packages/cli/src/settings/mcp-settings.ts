import { join } from "node:path";

import { isRecord, type JsonRecord } from "@ccl/core/json";

import { CliError } from "../cli-error.ts";
import { ownCommand } from "../own-command.ts";
import type { Session } from "../session.ts";
import { codexOf, configOf, homeOf } from "../user-places.ts";
import type { ClientSettings, SettingsOf } from "./change-settings.ts";
import { jsonSettings, withMember } from "./json-settings.ts";

/** By the name of an MCP client: where it looks for its servers, for the user or for the project alone. */
export const mcpSettings: ReadonlyMap<string, SettingsOf> = new Map(
  Object.entries<SettingsOf>({
    "claude-code": (session, project) =>
      json(project ? join(session.root, ".mcp.json") : join(home(session), ".claude.json"), {
        mcpServers: { type: "stdio", ...server(session) },
      }),
    codex: (session, project) => {
      const folder = project ? join(session.root, ".codex") : codexOf(session.terminal.env);
      const { command, args } = server(session);
      const entry = `${table}\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
      return {
        path: join(folder, "config.toml"),
        edit: (text, isRemoval) => editToml(text, isRemoval, entry),
      };
    },
    cursor: (session, project) =>
      json(join(project ? session.root : home(session), ".cursor", "mcp.json"), {
        mcpServers: server(session),
      }),
    vscode: (session, project) =>
      json(
        project
          ? join(session.root, ".vscode", "mcp.json")
          : join(vsCodeFolder(session), "User", "mcp.json"),
        { servers: { type: "stdio", ...server(session) } },
      ),
    opencode: (session, project) => {
      const { command, args } = server(session);
      const folder = project ? session.root : join(configOf(session.terminal.env), "opencode");
      return json(join(folder, "opencode.json"), {
        mcp: { type: "local", command: [command, ...args], enabled: true },
      });
    },
  }),
);

const home = ({ terminal }: Session): string => homeOf(terminal.env);

function server({ terminal }: Session): { command: string; args: string[] } {
  const { program, args } = ownCommand(terminal);
  return { command: program, args: [...args, "mcp"] };
}

function vsCodeFolder(session: Session): string {
  const { env, platform } = session.terminal;
  if (platform === "win32")
    return join(env["APPDATA"] ?? join(home(session), "AppData", "Roaming"), "Code");
  if (platform === "darwin") return join(home(session), "Library", "Application Support", "Code");
  return join(configOf(env), "Code");
}

/** The entry of ccl by the name of the member that holds a client's servers. */
function json(path: string, entries: Record<string, JsonRecord>): ClientSettings {
  const [[key = "", entry] = []] = Object.entries(entries);
  const byHand = `it by hand: ${JSON.stringify({ [key]: { ccl: entry } })}`;
  return jsonSettings(path, byHand, (settings, isRemoval) => {
    const servers = settings[key] ?? {};
    if (!isRecord(servers)) throw new CliError("usage", `${path}: "${key}" is no object.`);
    const { ccl: known, ...others } = servers;
    if (isRemoval) return known === undefined ? undefined : withMember(settings, key, others);
    if (JSON.stringify(known) === JSON.stringify(entry)) return undefined;
    return { ...settings, [key]: { ...servers, ccl: entry } };
  });
}

const table = "[mcp_servers.ccl]";

/** The table of ccl at the end of the file; all other lines stay as they are. */
function editToml(text: string, isRemoval: boolean, entry: string): string {
  if (!isRemoval && text.includes(entry)) return text;
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.trim() === table);
  if (start >= 0) {
    const length = lines.slice(start + 1).findIndex((line) => /^\s*\[/.test(line));
    lines.splice(start, length < 0 ? lines.length - start : length + 1);
  } else if (isRemoval) return text;
  const rest = lines.join("\n").replace(/\n+$/, "");
  if (isRemoval) return rest === "" ? "" : `${rest}\n`;
  return rest === "" ? entry : `${rest}\n\n${entry}`;
}
