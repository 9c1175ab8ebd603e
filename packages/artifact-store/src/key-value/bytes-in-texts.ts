import { fromBase64, toBase64 } from "@ccl/core/json";

import type { KeyValueDatabase } from "./key-value-database.ts";

type TextEntry = readonly [key: string, text: string | undefined];

/** A sorted database of strings with versioned steps: the `KeyValue` of @ccl/records. */
export interface TextDatabase {
  get(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  list(range: {
    from: string;
    before: string;
    limit: number;
  }): Promise<readonly (readonly [key: string, text: string])[]>;
  commit(step: { checks: readonly TextEntry[]; writes: readonly TextEntry[] }): Promise<boolean>;
}

/** A database of bytes, or one of strings as `openRecords({ keyValue })` takes it. */
export type KeyValuePlace = KeyValueDatabase | { keyValue: TextDatabase };

/** Returns the four calls for either kind of database. */
export function databaseOf(place: KeyValuePlace): KeyValueDatabase {
  return "keyValue" in place ? bytesInTexts(place.keyValue) : place;
}

const bytesKey = (key: string): string => `artifact-bytes/${key}`;
// A second key for each value, so that listing the keys reads no bytes.
const nameKey = (key: string): string => `artifact-name/${key}`;
const namesAtOnce = 1_000;

/** Stores bytes as base64 in a database of strings, next to any records in it. */
function bytesInTexts(texts: TextDatabase): KeyValueDatabase {
  const write = (key: string, bytes: string | undefined): Promise<boolean> =>
    texts.commit({
      checks: [],
      writes: [
        [bytesKey(key), bytes],
        [nameKey(key), bytes === undefined ? undefined : "1"],
      ],
    });
  return {
    async get(key) {
      const [text] = await texts.get([bytesKey(key)]);
      return text === undefined ? undefined : (fromBase64(text) ?? new Uint8Array());
    },
    set: (key, value) => write(key, toBase64(value)),
    delete: (key) => write(key, undefined),
    async *keys(prefix) {
      const before = `${nameKey(prefix)}\u007f`;
      for (let from = nameKey(prefix); ;) {
        const page = await texts.list({ from, before, limit: namesAtOnce });
        const last = page.at(-1);
        if (last === undefined) return;
        for (const [key] of page) yield key.slice(nameKey("").length);
        from = `${last[0]} `;
      }
    },
  };
}
