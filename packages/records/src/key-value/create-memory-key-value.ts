import { acceptCommits } from "./accept-commits.ts";
import type { KeyValue } from "./key-value.ts";
import { SortedKeys } from "./sorted-keys.ts";

/** Creates a key-value store that lives as long as the process. */
export function createMemoryKeyValue(): KeyValue {
  const texts = new SortedKeys<string>();
  return {
    get: async (keys) => keys.map((key) => texts.get(key)),
    list: async (range) => texts.list(range),
    commit: async (commit) => acceptCommits([commit], texts)[0] === true,
  };
}
