import { type ArtifactStore, ArtifactStoreError } from "@ccl/artifact-store";
import { type ArtifactStoreOptions, createArtifactStore } from "@ccl/artifact-store/driver";

import { type RedisClient, RedisDatabase } from "./redis-database.ts";
import { RedisDriver } from "./redis-driver.ts";

/** Where the artifacts are, beside what every store takes. */
export interface RedisArtifactStoreOptions extends ArtifactStoreOptions {
  /** A connected client, which stays the caller's. */
  client: RedisClient;
  /** Before every key; keeps stores apart. By default `artifacts`. */
  prefix?: string;
}

/**
 * Opens an artifact store over Redis, as durable as its `appendfsync` says. All keys lie in one slot of a cluster.
 * @throws ArtifactStoreError `unsupported` where the server may drop keys that do not expire
 */
export async function openRedisArtifactStore(
  options: RedisArtifactStoreOptions,
): Promise<ArtifactStore> {
  const { client, prefix = "artifacts", ...storeOptions } = options;
  const policy = /^maxmemory_policy:(\S+)/mu.exec(
    String(await client.sendCommand(["INFO", "memory"])),
  )?.[1];
  if (policy?.startsWith("allkeys-")) {
    throw new ArtifactStoreError(
      "unsupported",
      `maxmemory-policy ${policy} may drop artifacts; set noeviction`,
    );
  }
  return createArtifactStore(
    new RedisDriver(new RedisDatabase(client, keyPrefix(prefix))),
    storeOptions,
  );
}

/** The beginning of all keys of a store. */
export function keyPrefix(prefix: string): string {
  return `{${prefix}}:`;
}
