import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { isRecord, parseJson } from "@ccl/core/json";
import { unless } from "@ccl/core/node";
import type { ContextRecord } from "@ccl/core/tracing";

import type { LoggedRecord } from "./record-to.ts";

/** The part of a session's log that was read so far. */
interface ReadLog {
  bytes: number;
  records: ContextRecord[];
  /** The index of each record by its id. */
  places: Map<string, number>;
}

/**
 * Reads the records of a folder by file. Each file is a session, and each record contains its whole prompt. Later calls
 * read only what was added. Skips incomplete lines and those of another shape. Empty if there is no such folder.
 */
export function createContextLogReader(
  folder: string,
): () => Promise<Map<string, readonly ContextRecord[]>> {
  const logs = new Map<string, ReadLog>();
  const read = async (): Promise<Map<string, readonly ContextRecord[]>> => {
    const names = await unless(["ENOENT"], readdir(folder), []);
    const sessions = new Map<string, readonly ContextRecord[]>();
    for (const name of names.filter((one) => one.endsWith(".jsonl")).sort()) {
      const path = join(folder, name);
      const { size } = await stat(path);
      const known = logs.get(name);
      // A file that became shorter was replaced.
      const isKnown = known !== undefined && known.bytes <= size;
      const log = isKnown ? known : { bytes: 0, records: [], places: new Map<string, number>() };
      if (log.bytes < size) await readOn(path, log);
      logs.set(name, log);
      sessions.set(name.slice(0, -".jsonl".length), log.records);
    }
    return sessions;
  };
  let reading: Promise<unknown> = Promise.resolve();
  // One call at a time, since each starts at the offset of the last.
  return () => {
    const next = reading.then(read, read);
    reading = next;
    return next;
  };
}

/** Reads the complete lines after the current offset. */
async function readOn(path: string, log: ReadLog): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of createReadStream(path, { start: log.bytes })) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  const end = bytes.lastIndexOf("\n") + 1;
  log.bytes += end;
  for (const line of bytes.toString("utf8", 0, end).split("\n").map(parseJson)) {
    if (!isLogged(line)) continue;
    const { kept, after, ...record } = line;
    // Other processes may write to the file too, so the referenced record need not be on the previous line.
    const before = log.records[log.places.get(after ?? "") ?? -1]?.parts ?? [];
    if (before.length < kept) continue;
    const whole = { ...record, parts: [...before.slice(0, kept), ...record.parts] };
    const place = log.places.get(record.id) ?? log.records.length;
    log.places.set(record.id, place);
    log.records[place] = whole;
  }
}

function isLogged(value: unknown): value is LoggedRecord {
  return (
    isRecord(value) &&
    ["timeMs", "kept"].every((name) => typeof value[name] === "number") &&
    ["id", "session", "source"].every((name) => typeof value[name] === "string") &&
    (value["reported"] === undefined || isRecord(value["reported"])) &&
    Array.isArray(value["parts"]) &&
    value["parts"].every(isPart)
  );
}

function isPart(part: unknown): boolean {
  const hasTokens = (one: unknown): boolean => isRecord(one) && typeof one["tokens"] === "number";
  return (
    isRecord(part) && hasTokens(part) && (part["sent"] === undefined || hasTokens(part["sent"]))
  );
}
