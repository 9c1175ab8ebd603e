import type { KeyValueDatabase } from "@ccl/artifact-store";
import { type createClient, RESP_TYPES } from "@redis/client";

/** A client of the package `redis` or `@redis/client`. */
export type RedisClient = ReturnType<typeof createClient<{}, {}, {}, 3, {}>>;

/** Redis. `appendfsync` decides how durable it is. */
export function overRedis(client: RedisClient, namespace: string): KeyValueDatabase {
  const binary = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  const nameOf = (key: string): string => `${namespace}:${key}`;
  return {
    get: (key) => binary.get(nameOf(key)),
    set: (key, value) => client.set(nameOf(key), Buffer.from(value)),
    delete: (key) => client.del(nameOf(key)),
    async *keys(prefix) {
      const found = new Set<string>();
      const pages = client.scanIterator({ MATCH: `${nameOf(prefix)}*`, COUNT: 1_000 });
      for await (const page of pages) for (const name of page) found.add(name);
      for (const name of found) yield name.slice(nameOf("").length);
    },
  };
}
