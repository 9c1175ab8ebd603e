import type { ArtifactStore } from "@ccl/artifact-store";
import { createArtifactStore, type ArtifactStoreOptions } from "@ccl/artifact-store/driver";
import { createPostgresSession, isCommitLazy, migrate, type PostgresClient } from "@ccl/sql";
import { createPostgresDriver } from "./postgres-driver.ts";
import { migrations } from "./schema.ts";
import { sweepAbandoned } from "./staged-chunks.ts";

/** Options of a store in PostgreSQL. */
export interface PostgresArtifactStoreOptions extends ArtifactStoreOptions {
  /**
   * A pool or client of pg, or a PGlite. It stays open when the store is closed. The tables are created in its first
   * schema.
   */
  client: PostgresClient;
  signal?: AbortSignal | undefined;
}

/**
 * Opens a store in PostgreSQL 13 or later, and creates or upgrades its tables. An acknowledged put is on the server's
 * disk, whatever its `synchronous_commit` setting. With `fsync = off` the server decides.
 * @throws SqlError `schema_newer`, `connection_failed`, ...
 */
export async function openPostgresArtifactStore(
  options: PostgresArtifactStoreOptions,
): Promise<ArtifactStore> {
  const { client, signal, ...storeOptions } = options;
  await migrate(client, {
    component: "artifact_store",
    migrations,
    signal,
  });
  const session = createPostgresSession(client);
  await sweepAbandoned(session);
  const driver = createPostgresDriver(client, await isCommitLazy(client));
  return createArtifactStore(driver, storeOptions);
}
