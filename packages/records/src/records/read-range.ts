import { throwIfAborted } from "@ccl/core/async";

import type { KeyRange, KeyValue } from "../key-value/key-value.ts";
import { RecordsError } from "../records-error.ts";
import { damagedError } from "./stored-text.ts";
import { keyAfter } from "./stored-key.ts";

/**
 * Reads as many entries of the range as exist, regardless of the database's page size.
 * @throws RecordsError `damaged` if the database does not sort its keys
 */
export async function readRange(
  database: KeyValue,
  { from, before, limit }: KeyRange,
  signal?: AbortSignal | undefined,
): Promise<(readonly [key: string, text: string])[]> {
  const found: (readonly [string, string])[] = [];
  let next = from;
  while (found.length < limit) {
    throwIfAborted(signal, RecordsError);
    const page = await database.list({ from: next, before, limit: limit - found.length });
    if (page.length === 0) break;
    for (const entry of page) {
      const [key] = entry;
      if (key < next || key >= before)
        throw damagedError(`The database lists "${key}" out of order.`, { key });
      next = keyAfter(key);
      found.push(entry);
    }
  }
  return found;
}
