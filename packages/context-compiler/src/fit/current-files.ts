import type { ToolCall } from "@ccl/core";
import { isRecord, parseJson } from "@ccl/core/json";

import type { HistoryUnit } from "./history-unit.ts";
import { hasFailed } from "./message-texts.ts";

/**
 * For each file that was read, the units that say how it is now: its last read, or the call that wrote it anew, and the edits
 * since. Without its edits a read would be out of date. Those that were touched last come first.
 */
export function currentFiles(units: readonly HistoryUnit[]): number[][] {
  const files = new Map<string, { path: string; units: number[] }>();
  const put = (path: string, part: string, own: number[]): void => {
    const key = `${path}\n${part}`;
    files.delete(key);
    files.set(key, { path, units: own });
  };
  for (const [at, { messages }] of units.entries()) {
    const [call, ...others] = messages[0]?.toolCalls ?? [];
    if (call === undefined || others.length > 0 || hasFailed(messages[1])) continue;
    const { action, path = "", part = "", text } = accessOf(call);
    const known = [...files].filter(([, file]) => file.path === path);
    if (action === "edit") {
      const isMeant = (own: string): boolean => own === path || text.includes(nameOf(own));
      for (const [key, file] of [...files].filter(([, { path: own }]) => isMeant(own)))
        put(file.path, key.slice(file.path.length + 1), [...file.units, at]);
    } else if (action === "read" && part !== "") {
      if (!files.has(`${path}\n`)) put(path, part, [at]);
    } else if (action === "read" || known.length > 0) {
      for (const [key] of known) files.delete(key);
      put(path, "", [at]);
    }
  }
  return [...files.values()].map((file) => file.units).toReversed();
}

/** A call without a path that edits may edit all files that its text names. */
interface FileAccess {
  action: "read" | "write" | "edit" | undefined;
  path?: string | undefined;
  /** Which lines of the file; "" for all. */
  part?: string | undefined;
  text: string;
}

const pathKeys = ["file_path", "path", "filename", "file", "target_file"];
const actions = [
  ["edit", /edit|replace|patch|insert/i],
  ["write", /write|create/i],
  ["read", /read|view|open|\bcat\b|show/i],
] as const;

function accessOf({ name, arguments: input }: ToolCall): FileAccess {
  const given = parseJson(input);
  if (!isRecord(given)) return { action: undefined, text: input };
  const command = ["command", "cmd", "script"].map((key) => given[key]).find(isText) ?? "";
  const path = pathKeys.map((key) => given[key]).find(isText);
  if (path === undefined) return accessOfCommand(command.replace(/^\s*cd \S+ && /, "").trim());
  const verb = command === "" ? name : command;
  const part = Object.values(given)
    .filter((value) => !isText(value))
    .map(String)
    .join(" ");
  const [action] = actions.find(([, pattern]) => pattern.test(verb)) ?? [];
  return { action, path: plain(path), part, text: path };
}

const readCommand =
  /^(cat|nl|head|tail|less|more|bat|open|sed -n)\s+((?:-\S+\s+|'[^']*'\s+|"[^"]*"\s+|\d+\s+)*)([\w./@~+-]+)((?:\s+\d+)*)$/;
const writeCommand = /^(?:cat|tee)\s*>?\s*([\w./@~+-]+)\s*<</;
const editCommand =
  /\bsed\s+(?:-\S+\s+)*-\w*i|\bperl\s+-\w*i|\bpatch\b|\btee\b|>|\b(?:mv|cp|rm)\s|\bgit (?:apply|checkout|restore|reset|stash)|\.write|open\([^)]*['"][wa]/;

function accessOfCommand(command: string): FileAccess {
  const [, written] = writeCommand.exec(command) ?? [];
  if (written !== undefined) return { action: "write", path: plain(written), text: command };
  const [, verb = "", options = "", path, lines = ""] = readCommand.exec(command) ?? [];
  if (path !== undefined) {
    const part = /cat|nl/.test(verb) ? "" : `${verb} ${options}${lines}`;
    return { action: "read", path: plain(path), part, text: command };
  }
  const isEdit = editCommand.test(command.replace(/\d?>+\s*(?:&\d|\/dev\/null)/g, ""));
  return { action: isEdit ? "edit" : undefined, text: command };
}

const isText = (value: unknown): value is string => typeof value === "string";

function plain(path: string): string {
  return path.replace(/^\.\//, "");
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
