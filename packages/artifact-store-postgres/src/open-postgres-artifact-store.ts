import type { ArtifactStore } from "@ccl/artifact-store";
import { createArtifactStore, type ArtifactStoreOptions } from "@ccl/artifact-store/driver";
import { createPostgresSession, migrate, type PostgresClient } from "@ccl/sql";
import { createPostgresDriver } from "./postgres-driver.ts";
import { migrations } from "./schema.ts";
import { sweepAbandoned } from "./staged-chunks.ts";

/** Where the tables are. */
export interface PostgresArtifactStoreOptions extends ArtifactStoreOptions {
  /** A pool or client of pg, or a PGlite; stays open when the store is closed. The tables go into its first schema. */
  client: PostgresClient;
  signal?: AbortSignal | undefined;
}

/**
 * A store in PostgreSQL 13 or newer, which makes its tables and brings them up to date. What it acknowledged is on the
 * server's disk, whatever the server's `synchronous_commit`; what `fsync = off` in its settings means is the server's.
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
  const [setting] = await session.query("SHOW synchronous_commit");
  const isCommitLazy = setting?.["synchronous_commit"] === "off";
  return createArtifactStore(createPostgresDriver(client, { isCommitLazy }), storeOptions);
}
