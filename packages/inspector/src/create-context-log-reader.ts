import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";

import { isRecord, parseJson } from "@ccl/core/json";
import { unless } from "@ccl/core/node";
import type { ContextRecord } from "@ccl/core/tracing";

import type { LoggedRecord } from "./record-to.ts";

/** The part of a session's log that has been read so far. */
interface ReadLog {
  /** Inode and creation time, which change if the file is replaced. An inode may be reused. */
  file: string;
  bytes: number;
  records: ContextRecord[];
  /** Maps the id of each record to its index. */
  places: Map<string, number>;
  /** The last record of each writer. */
  ends: Map<string, ContextRecord>;
}

/**
 * Creates a reader for a folder of records, keyed by file. Each file is a session, and each
 * returned record contains its whole prompt. Later calls read only what was added, and return the
 * same list if a file is unchanged. Skips incomplete lines and lines of another shape. The result
 * is empty if the folder does not exist.
 */
export function createContextLogReader(
  folder: string,
): () => Promise<Map<string, readonly ContextRecord[]>> {
  const logs = new Map<string, ReadLog>();
  const read = async (): Promise<Map<string, readonly ContextRecord[]>> => {
    const files = await unless(["ENOENT"], readdir(folder), []);
    const sessions = new Map<string, readonly ContextRecord[]>();
    for (const name of files.filter((name) => name.endsWith(".jsonl")).sort()) {
      const path = join(folder, name);
      const status = await unless(["ENOENT"], stat(path), undefined);
      if (status === undefined) continue;
      const file = `${status.ino} ${status.birthtimeMs}`;
      const known = logs.get(name);
      // A file that became shorter was replaced.
      const log: ReadLog =
        known?.file === file && known.bytes <= status.size
          ? known
          : { file, bytes: 0, records: [], places: new Map(), ends: new Map() };
      if (log.bytes < status.size) await readNewLines(path, log);
      logs.set(name, log);
      sessions.set(basename(name, ".jsonl"), log.records);
    }
    return sessions;
  };
  let reading: Promise<unknown> = Promise.resolve();
  let waiting: ReturnType<typeof read> | undefined;
  // Only one read runs at a time, because each starts where the last one ended. Waiting calls share
  // the next read.
  return () => {
    const start = () => {
      waiting = undefined;
      return read();
    };
    waiting ??= reading.then(start, start);
    reading = waiting;
    return waiting;
  };
}

/** Reads the complete lines after the current offset. */
async function readNewLines(path: string, log: ReadLog): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of createReadStream(path, { start: log.bytes })) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  const end = bytes.lastIndexOf("\n") + 1;
  if (end === 0) return;
  log.bytes += end;
  // Returning a new list lets callers detect an added record by identity.
  log.records = [...log.records];
  for (const line of bytes.toString("utf8", 0, end).split("\n").map(parseJson)) {
    if (!isLogged(line)) continue;
    const { kept, by, after, ...record } = line;
    const former =
      by === undefined ? log.records[log.places.get(after ?? "") ?? -1] : log.ends.get(by);
    const before = former?.id === after ? (former?.parts ?? []) : [];
    if (before.length < kept) continue;
    const whole = { ...record, parts: [...before.slice(0, kept), ...record.parts] };
    const place = log.places.get(record.id) ?? log.records.length;
    log.places.set(record.id, place);
    if (by !== undefined) log.ends.set(by, whole);
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
