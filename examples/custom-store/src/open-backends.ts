import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { KeyValueDatabase } from "@ccl/artifact-store";
import type { KeyValue } from "@ccl/records";
import { createClient } from "@redis/client";
import { Keyv } from "keyv";
import { MemoryLevel } from "memory-level";
import { createStorage } from "unstorage";
import memoryDriver from "unstorage/drivers/memory";

import { overFiles } from "./over-files.ts";
import { overKeyv } from "./over-keyv.ts";
import { overMap } from "./over-map.ts";
import { overRedis, type RedisClient } from "./over-redis.ts";
import { overUnstorage } from "./over-unstorage.ts";
import { recordsOverLevel } from "./records-over-level.ts";
import { recordsOverRedis } from "./records-over-redis.ts";

/** A database that the example supports. */
export interface Backend<Database = KeyValueDatabase> {
  name: string;
  /** Its source, next to this file. */
  file: string;
  /** An empty database. */
  open(): Promise<Database>;
}

/** The databases for artifacts, and those for records. */
interface Backends {
  backends: Backend[];
  recordBackends: Backend<KeyValue>[];
  close(): Promise<void>;
}

/** All databases on this machine; Redis only if `REDIS_URL` names one. `close` removes what they wrote. */
export async function openBackends(): Promise<Backends> {
  const folder = await mkdtemp(join(tmpdir(), "own-store-"));
  const redis = await connectRedis();
  const namespace = `own-store-${randomUUID()}`;
  const backends: Backend[] = [
    { name: "Map", file: "over-map", open: async () => overMap() },
    { name: "files", file: "over-files", open: () => overFiles(join(folder, randomUUID())) },
    { name: "keyv", file: "over-keyv", open: async () => overKeyv(new Keyv<string>()) },
    {
      name: "unstorage",
      file: "over-unstorage",
      open: async () => overUnstorage(createStorage({ driver: memoryDriver() })),
    },
  ];
  const recordBackends: Backend<KeyValue>[] = [
    {
      name: "level",
      file: "records-over-level",
      open: async () => recordsOverLevel(new MemoryLevel<string, string>()),
    },
  ];
  if (redis !== undefined) {
    const own = (): string => `${namespace}-${randomUUID()}`;
    backends.push({ name: "Redis", file: "over-redis", open: async () => overRedis(redis, own()) });
    const open = async (): Promise<KeyValue> => recordsOverRedis(redis, own());
    recordBackends.push({ name: "Redis", file: "records-over-redis", open });
  }
  return {
    backends,
    recordBackends,
    async close() {
      await rm(folder, { recursive: true });
      if (redis === undefined) return;
      for await (const keys of redis.scanIterator({ MATCH: `*${namespace}*`, COUNT: 1_000 }))
        if (keys.length > 0) await redis.del(keys);
      await redis.close();
    },
  };
}

async function connectRedis(): Promise<RedisClient | undefined> {
  const url = process.env["REDIS_URL"] ?? process.env["CCL_REDIS_URL"];
  if (url === undefined) return undefined;
  const client = createClient({ url });
  await client.connect();
  return client;
}
