import type { KeyValue } from "../key-value/key-value.ts";
import { headOf } from "./plan-write.ts";
import { readRange } from "./read-range.ts";
import type { LogPage } from "./records.ts";
import { entryKey, keyOf } from "./stored-key.ts";
import { damagedError, noSum, sumOf, unsealed } from "./stored-text.ts";

/**
 * Reads a page of a log. Each entry must be intact and follow the previous one, and the last entry must match the head.
 * @throws RecordsError `damaged` with `details.position`
 */
export async function readEntries(
  database: KeyValue,
  name: string,
  { from, limit, signal }: { from: number; limit: number; signal: AbortSignal | undefined },
): Promise<LogPage> {
  const key = keyOf("log", name);
  for (;;) {
    const [text] = await database.get([key]);
    const { version, rest: last } = headOf(key, text, `The log "${name}"`);
    const end = Math.min(version, from + limit);
    if (from >= end) return { entries: [], version };
    const start = Math.max(0, from - 1);
    const range = { from: entryKey(name, start), before: entryKey(name, end) };
    const found = await readRange(database, { ...range, limit: end - start }, signal);
    try {
      const entries = entriesIn(new Map(found), { name, from, end });
      const final = found.at(-1)?.[1];
      if (end === version && (final === undefined || sumOf(final) !== last))
        throw lost(name, end - 1);
      return { entries, version };
    } catch (error) {
      // The log may have been removed or replaced in the meantime.
      const [now] = await database.get([key]);
      if (now === text) throw error;
    }
  }
}

function entriesIn(
  texts: ReadonlyMap<string, string>,
  { name, from, end }: { name: string; from: number; end: number },
): unknown[] {
  const entries: unknown[] = [];
  for (let position = from; position < end; position += 1) {
    const key = entryKey(name, position);
    const [sumBefore, json] = unsealed(key, texts.get(key) ?? "") ?? [];
    if (json === undefined) throw lost(name, position);
    // If the entry before the page is damaged, reading its own page reports that.
    const before = position === 0 ? noSum : texts.get(entryKey(name, position - 1));
    if (before !== undefined && sumOf(before) !== sumBefore) throw lost(name, position);
    entries.push(JSON.parse(json));
  }
  return entries;
}

function lost(log: string, position: number): Error {
  return damagedError(`Entry ${position} of the log "${log}" is missing, or was changed.`, {
    log,
    position,
  });
}
