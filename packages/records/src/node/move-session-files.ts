import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { isRecord, parseJson } from "@ccl/core/json";
import { unless } from "@ccl/core/node";

import type { KeyValue, KeyValueEntry } from "../key-value/key-value.ts";
import { entryKey, keyOf } from "../records/stored-key.ts";
import { noSum, sealed, sumOf } from "../records/stored-text.ts";

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
  const log = `session/${id}`;
  const writes: KeyValueEntry[] = [];
  let [chainBefore, last] = [sha256Hex(header).slice(0, 32), noSum];
  // The last line is empty, or cut off by a crash.
  for (const line of lines.slice(0, -1).filter((one) => one.trim() !== "")) {
    const [, chain = "", json = ""] = lineShape.exec(line) ?? [];
    const key = entryKey(log, writes.length);
    // A damaged entry gets no valid checksum, so reading it fails.
    const isWhole = json !== "" && chain === sha256Hex(chainBefore + json).slice(0, 32);
    const text = isWhole ? sealed(key, `${last} ${json}`) : `${noSum} ${last} ${line}`;
    writes.push([key, text]);
    [chainBefore, last] = [chain, sumOf(text)];
  }
  const head = keyOf("log", log);
  return writes.length === 0 ? [] : [...writes, [head, sealed(head, `${writes.length} ${last}`)]];
}

function stateOf(id: string, text: string | undefined): KeyValueEntry[] {
  if (text === undefined) return [];
  const key = keyOf("record", `session-state/${id}`);
  const state = parseJson(text);
  const entries = isRecord(state) && Array.isArray(state["entries"]) ? state["entries"] : undefined;
  if (entries === undefined) return [[key, `${noSum} ${text.replaceAll("\n", " ")}`]];
  return [[key, sealed(key, `1 ${JSON.stringify(Object.fromEntries(entries))}`)]];
}
