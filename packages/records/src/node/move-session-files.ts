import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { isRecord, parseJson } from "@ccl/core/json";
import { unless } from "@ccl/core/node";

import type { KeyValue, KeyValueEntry } from "../key-value/key-value.ts";
import { keyOf } from "../records/stored-key.ts";
import { logRows, recordRow } from "../sql/move-log.ts";

const headerShape =
  /^\{"format":"ccl-session-log","formatVersion":1,"sessionId":("(?:[^"\\]|\\.)*")\}$/;
const lineShape = /^\{"chain":"([0-9a-f]{32})","event":(.*)\}$/s;

/** Migrates sessions from files written by versions before this package to the records of the same folder. */
export async function moveSessionFiles(folder: string, database: KeyValue): Promise<void> {
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".jsonl"))) {
    const path = join(folder, file);
    const [header = "", ...lines] = (await readFile(path, "utf8"))
      .replace(/^\uFEFF/, "")
      .split(/\r?\n/);
    const sessionId = headerShape.exec(header)?.[1];
    if (sessionId === undefined) continue;
    const statePath = join(folder, file.replace(/jsonl$/, "state.json"));
    const state = await unless(["ENOENT"], readFile(statePath, "utf8"), undefined);
    const id = String(JSON.parse(sessionId));
    const head = keyOf("log", `session/${id}`);
    const writes = [...logOf(id, header, lines), ...stateOf(id, state)];
    // If an earlier process moved the session and was killed before deleting the files, keeps the records as they are.
    await database.commit({ checks: [[head, undefined]], writes });
    await rm(statePath, { force: true });
    await rm(path);
  }
}

function logOf(id: string, header: string, lines: readonly string[]): KeyValueEntry[] {
  let before = sha256Hex(header).slice(0, 32);
  // The last line is empty, or cut off by a crash.
  const entries = lines
    .slice(0, -1)
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, chain = "", json = ""] = lineShape.exec(line) ?? [];
      const isWhole = json !== "" && chain === sha256Hex(before + json).slice(0, 32);
      before = chain;
      return { json: isWhole ? json : line, isWhole };
    });
  return entries.length === 0 ? [] : logRows(`session/${id}`, entries);
}

function stateOf(id: string, text: string | undefined): KeyValueEntry[] {
  if (text === undefined) return [];
  const name = `session-state/${id}`;
  const state = parseJson(text);
  const entries = isRecord(state) ? state["entries"] : undefined;
  if (!Array.isArray(entries))
    return [recordRow({ name, json: text.replaceAll("\n", " "), isWhole: false })];
  return [recordRow({ name, json: JSON.stringify(Object.fromEntries(entries)) })];
}
