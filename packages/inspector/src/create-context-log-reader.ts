import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { isRecord, parseJson } from "@ccl/core/json";
import { unless } from "@ccl/core/node";
import type { ContextRecord } from "@ccl/core/tracing";

import type { LoggedRecord } from "./record-to.ts";

/** A log of one session, as far as it was read. */
interface ReadLog {
  bytes: number;
  records: ContextRecord[];
  /** Where each record is, by its id. */
  places: Map<string, number>;
}

/**
 * Reads the records of a folder by file, which is a session, each with the whole of its prompt; a later call reads what was
 * added since. Lines that are cut off or of another form are passed over. A folder that is missing has none.
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
      // A file that became shorter is another one.
      const isKnown = known !== undefined && known.bytes <= size;
      const log = isKnown ? known : { bytes: 0, records: [], places: new Map<string, number>() };
      if (log.bytes < size) await readOn(path, log);
      logs.set(name, log);
      sessions.set(name.slice(0, -".jsonl".length), log.records);
    }
    return sessions;
  };
  let reading: Promise<unknown> = Promise.resolve();
  // One at a time, since each reads on from where the last one ended.
  return () => {
    const next = reading.then(read, read);
    reading = next;
    return next;
  };
}

/** Adds the whole lines that follow. */
async function readOn(path: string, log: ReadLog): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of createReadStream(path, { start: log.bytes })) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  const end = bytes.lastIndexOf("\n") + 1;
  log.bytes += end;
  for (const line of bytes.toString("utf8", 0, end).split("\n").map(parseJson)) {
    if (!isLogged(line)) continue;
    const { kept, after, ...record } = line;
    // Others may write into the file too, so that the line before need not be the one that is meant.
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
