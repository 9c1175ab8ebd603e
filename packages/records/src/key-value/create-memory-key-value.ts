import type { KeyValue } from "./key-value.ts";
import { SortedKeys } from "./sorted-keys.ts";

/** Texts that live as long as the process. */
export function createMemoryKeyValue(): KeyValue {
  const texts = new SortedKeys<string>();
  return {
    get: async (keys) => keys.map((key) => texts.get(key)),
    list: async (range) => texts.list(range),
    async commit({ checks, writes }) {
      if (checks.some(([key, text]) => texts.get(key) !== text)) return false;
      for (const [key, text] of writes) texts.set(key, text);
      return true;
    },
  };
}
