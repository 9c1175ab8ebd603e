import type { KeyValueDatabase } from "@ccl/artifact-store";

/** A map, which disappears with the process. Good for tests. */
export function overMap(map: Map<string, Uint8Array> = new Map()): KeyValueDatabase {
  return {
    get: async (key) => map.get(key),
    set: async (key, value) => map.set(key, value),
    delete: async (key) => map.delete(key),
    keys: async (prefix) => [...map.keys()].filter((key) => key.startsWith(prefix)),
  };
}
