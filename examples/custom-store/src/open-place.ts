import { randomUUID } from "node:crypto";

import type { ArtifactStore } from "@ccl/artifact-store";
import { type ArtifactStoreOptions, createArtifactStore } from "@ccl/artifact-store/driver";
import { createClient } from "@redis/client";

import type { Database } from "./database.ts";
import { MemoryDatabase } from "./memory-database.ts";
import { keyPrefix, openRedisArtifactStore } from "./open-redis-artifact-store.ts";
import { RedisDatabase } from "./redis-database.ts";
import { RedisDriver } from "./redis-driver.ts";
import { type RedisServer, startRedisServer } from "./redis-server.ts";

/** Where the stores of a run are. */
export interface Place {
  /** For people: which Redis, or that there is none. */
  name: string;
  /** A store over a part of the place; two in a row use two connections. */
  open(part: string, options: ArtifactStoreOptions): Promise<ArtifactStore>;
  /** The calls below the stores of a part. */
  database(part: string): Database;
  /** Whether a piece of a part would vanish by itself; absent for the stand-in. */
  isVanishing?: (part: string, name: string) => Promise<boolean>;
  /** Makes the server refuse to take more memory, or lets it; absent where the server is not the run's own. */
  setFull?: (isFull: boolean) => Promise<void>;
  /** Kills the server and starts it again; absent where the server is not the run's own. */
  crash?: () => Promise<void>;
  /** Removes all that the run wrote, and ends what it started. */
  close(): Promise<void>;
}

/** The Redis of `CCL_REDIS_URL`, else one of the run's own, else the stand-in. */
export async function openPlace(): Promise<Place> {
  const url = process.env["CCL_REDIS_URL"];
  if (url !== undefined && url !== "")
    return openRedis({ url }, `the Redis at ${new URL(url).host}`);
  const server = await startRedisServer();
  if (server !== undefined) return openRedis(server, "a Redis of its own", server);
  return openStandIn();
}

type Address = { url: string } | { socketPath: string };
type Client = Awaited<ReturnType<typeof connect>>;

async function openRedis(address: Address, name: string, server?: RedisServer): Promise<Place> {
  const run = `custom-store-example-${randomUUID()}`;
  const prefixOf = (part: string): string => `${run}-${part}`;
  const clients: [Client, Client] = [await connect(address), await connect(address)];
  const place: Place = {
    name,
    open: (part, options) => {
      clients.reverse();
      return openRedisArtifactStore({ client: clients[0], prefix: prefixOf(part), ...options });
    },
    database: (part) => new RedisDatabase(clients[0], keyPrefix(prefixOf(part))),
    isVanishing: async (part, piece) =>
      (await clients[0].ttl(keyPrefix(prefixOf(part)) + piece)) >= 0,
    close: async () => {
      if (server === undefined) await removeKeys(clients[0], `{${run}-*`);
      for (const client of clients) client.destroy();
      await server?.stop();
    },
  };
  if (server === undefined) return place;
  const setFull = async (isFull: boolean): Promise<void> => {
    await clients[0].configSet("maxmemory", isFull ? "1" : "0");
  };
  return { ...place, setFull, crash: server.crash };
}

async function connect(address: Address) {
  const reconnectStrategy = (tries: number, cause: Error): number | Error =>
    tries < 10 ? 50 * (tries + 1) : cause;
  const client =
    "url" in address
      ? createClient({ url: address.url, socket: { reconnectStrategy } })
      : createClient({ socket: { path: address.socketPath, reconnectStrategy } });
  // A lost connection is made anew; the commands under way fail by themselves.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

async function removeKeys(client: Client, pattern: string): Promise<void> {
  for await (const keys of client.scanIterator({ MATCH: pattern, COUNT: 1000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
}

function openStandIn(): Place {
  const databases = new Map<string, Database>();
  const database = (part: string): Database => {
    const found = databases.get(part) ?? new MemoryDatabase();
    databases.set(part, found);
    return found;
  };
  return {
    name: "a stand-in of maps, since redis-server is not installed and CCL_REDIS_URL is not set",
    open: async (part, options) => createArtifactStore(new RedisDriver(database(part)), options),
    database,
    close: async () => databases.clear(),
  };
}
