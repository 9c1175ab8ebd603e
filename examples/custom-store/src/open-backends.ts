import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { KeyValuePlace } from "@ccl/artifact-store";
import type { KeyValue } from "@ccl/records";
import { createClient } from "@redis/client";
import { Keyv } from "keyv";
import { MemoryLevel } from "memory-level";
import { createStorage } from "unstorage";
import memoryDriver from "unstorage/drivers/memory";

import { overFiles } from "./over-files.ts";
import { overKeyv } from "./over-keyv.ts";
import { overMap } from "./over-map.ts";
import { overUnstorage } from "./over-unstorage.ts";
import { recordsOverLevel } from "./records-over-level.ts";
import { recordsOverRedis, type RedisClient } from "./records-over-redis.ts";

/** One of the databases that the example knows. */
export interface Backend<Database = KeyValuePlace> {
  name: string;
  /** Its source, next to this file. */
  file: string;
  /** An empty database. */
  open(): Promise<Database>;
}

/** Those for artifacts, and among them those for records too. */
interface Backends {
  backends: Backend[];
  recordBackends: Backend<KeyValue>[];
  close(): Promise<void>;
}

/** All that are there on this machine; Redis where `REDIS_URL` names one. `close` removes what they wrote. */
export async function openBackends(): Promise<Backends> {
  const folder = await mkdtemp(join(tmpdir(), "own-store-"));
  const redis = await connectRedis();
  const namespace = `own-store-${randomUUID()}`;
  const ofBytes: Backend[] = [
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
    const open = async (): Promise<KeyValue> => recordsOverRedis(redis, own());
    recordBackends.push({ name: "Redis", file: "records-over-redis", open });
  }
  return {
    backends: [
      ...ofBytes,
      ...recordBackends.map(({ open, ...rest }) => ({
        ...rest,
        open: async () => ({ keyValue: await open() }),
      })),
    ],
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
