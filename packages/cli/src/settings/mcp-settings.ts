import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { isSameJson, type JsonRecord, recordAt } from "@ccl/core/json";

import { usageError } from "../cli-error.ts";
import { ownCommand } from "../own-command.ts";
import type { Session } from "../session.ts";
import { codexOf, configOf, homeOf } from "../user-places.ts";
import { type FindBlock, withBlock, withoutBlock } from "./appended-block.ts";
import { type ClientSettings, jsonSettings, type SettingsOf } from "./client-settings.ts";
import { withoutValue, withValue } from "./json-text.ts";

/** Settings by MCP client: where it looks for its servers, for the user or the project. */
export const mcpSettings: ReadonlyMap<string, SettingsOf> = new Map(
  Object.entries<SettingsOf>({
    "claude-code": (session, project) =>
      json(project ? join(session.root, ".mcp.json") : claudeJson(session), {
        mcpServers: { type: "stdio", ...server(session) },
      }),
    codex: (session, project) => {
      const folder = project ? join(session.root, ".codex") : codexOf(session.terminal.env);
      const { command, args } = server(session);
      const entry = `${table}\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
      return toml(join(folder, "config.toml"), entry);
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
      return json(opencodeFile(folder), {
        mcp: { type: "local", command: [command, ...args], enabled: true },
      });
    },
  }),
);

/** Returns the file that contains ccl, otherwise the one that exists. opencode reads both. */
function opencodeFile(folder: string): string {
  const files = ["opencode.json", "opencode.jsonc"].map((name) => join(folder, name));
  const existing = files.filter((path) => existsSync(path));
  const configured = existing.find((path) => /"ccl"\s*:/.test(readFileSync(path, "utf8")));
  return configured ?? existing[0] ?? join(folder, "opencode.json");
}

/** Returns the path in the home folder, or in CLAUDE_CONFIG_DIR if that is set. */
const claudeJson = (session: Session): string =>
  join(session.terminal.env["CLAUDE_CONFIG_DIR"] ?? home(session), ".claude.json");

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

/** Adds ccl to the member that holds a client's servers. */
function json(path: string, entries: Record<string, JsonRecord>): ClientSettings {
  const [[key = "", entry] = []] = Object.entries(entries);
  const place = [key, "ccl"];
  return jsonSettings(path, JSON.stringify({ [key]: { ccl: entry } }), {
    edit: (text, value) =>
      isSameJson(recordAt(value, key)?.["ccl"], entry) ? text : withValue(text, place, entry),
    remove: (text, value, kept) =>
      recordAt(value, key)?.["ccl"] === undefined ? text : withoutValue(text, place, kept),
  });
}

const table = "[mcp_servers.ccl]";

/** Finds the table of ccl and its subtables, without the comments before the next table. */
const findTable: FindBlock = (text) => {
  const from = text.search(/^[ \t]*\[mcp_servers\.ccl[\].]/m);
  if (from < 0) return undefined;
  const rest = text.slice(from);
  const next = rest.search(/^[ \t]*\[(?!mcp_servers\.ccl[\].])/m);
  const section = next < 0 ? rest : rest.slice(0, next);
  const comments = /(?:^[ \t]*(?:#.*)?(?:\r?\n|$))*$(?![^])/m.exec(section);
  return { from, to: from + (comments === null || next < 0 ? section.length : comments.index) };
};

function toml(path: string, entry: string): ClientSettings {
  return {
    path,
    edit(text) {
      // Lines appended at the end cannot extend a table in another syntax.
      if (
        /^[ \t]*mcp_servers[ \t]*[.=]/m.test(text) ||
        /^[ \t]*\[mcp_servers\][^[]*^[ \t]*ccl\b/m.test(text)
      )
        throw usageError(`${path} defines mcp_servers in one line. Add this by hand:\n${entry}`);
      return withBlock(text, entry, findTable);
    },
    remove: (text) => withoutBlock(text, findTable),
  };
}
