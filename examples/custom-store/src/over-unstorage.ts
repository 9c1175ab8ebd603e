import type { KeyValueDatabase } from "@ccl/artifact-store";
import type { Storage } from "unstorage";

/** Any driver of unstorage, which writes `:` for `/` in keys. */
export function overUnstorage(storage: Storage): KeyValueDatabase {
  return {
    get: (key) => storage.getItemRaw<Uint8Array>(key),
    set: (key, value) => storage.setItemRaw(key, value),
    delete: (key) => storage.removeItem(key),
    async keys(prefix) {
      const keys = await storage.getKeys(prefix);
      return keys.map((key) => key.replaceAll(":", "/"));
    },
  };
}
