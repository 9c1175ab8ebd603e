import type { KeyValueDatabase } from "@ccl/artifact-store";
import type { Keyv } from "keyv";

/** Anything that Keyv supports. Keyv writes values as JSON, so bytes are stored as base64. */
export function overKeyv(keyv: Keyv<string>): KeyValueDatabase {
  return {
    async get(key) {
      const text = await keyv.get(key);
      return text === undefined ? undefined : Buffer.from(text, "base64");
    },
    set: (key, value) => keyv.set(key, Buffer.from(value).toString("base64")),
    delete: (key) => keyv.delete(key),
    async *keys(prefix) {
      for await (const [key] of keyv.iterator()) if (key.startsWith(prefix)) yield key;
    },
  };
}
