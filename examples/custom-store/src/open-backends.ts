import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { KeyValueDatabase } from "@ccl/artifact-store";
import { createClient } from "@redis/client";
import { Keyv } from "keyv";
import { createStorage } from "unstorage";
import memoryDriver from "unstorage/drivers/memory";

import { overFiles } from "./over-files.ts";
import { overKeyv } from "./over-keyv.ts";
import { overMap } from "./over-map.ts";
import { overRedis, type RedisClient } from "./over-redis.ts";
import { overUnstorage } from "./over-unstorage.ts";

/** One of the databases that the example knows. */
export interface Backend {
  name: string;
  /** Its source, next to this file. */
  file: string;
  /** An empty database. */
  open(): Promise<KeyValueDatabase>;
}

/** All that are there on this machine; Redis where `REDIS_URL` names one. `close` removes what they wrote. */
export async function openBackends(): Promise<{ backends: Backend[]; close(): Promise<void> }> {
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
  if (redis !== undefined)
    backends.push({
      name: "Redis",
      file: "over-redis",
      open: async () => overRedis(redis, `${namespace}-${randomUUID()}`),
    });
  return {
    backends,
    async close() {
      await rm(folder, { recursive: true });
      if (redis === undefined) return;
      for await (const keys of redis.scanIterator({ MATCH: `${namespace}*`, COUNT: 1_000 }))
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
