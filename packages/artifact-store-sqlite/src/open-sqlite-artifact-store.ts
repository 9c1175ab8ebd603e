import { ArtifactStoreError, type ArtifactStore } from "@ccl/artifact-store";
import { createArtifactStore, type ArtifactStoreOptions } from "@ccl/artifact-store/driver";
import { systemClock } from "@ccl/core";
import { migrate, openSqlite, SqlError, type OpenSqliteOptions, type SqliteDatabase } from "@ccl/sql";
import { migrations } from "./schema.ts";
import { createSqliteDriver } from "./sqlite-driver.ts";
import { removeDroppedFiles, sweepStages } from "./sweep-leftovers.ts";
import type { BlobDirectory } from "./blob-directory.ts";

/** Where the artifacts lie: a file, with the options of `openSqlite`, or a database that is open and stays so. */
export interface SqliteArtifactStoreOptions extends OpenSqliteOptions, ArtifactStoreOptions {
  /** Instead of `path`; its durability holds. */
  database?: SqliteDatabase;
  /** Where long contents go, from `openBlobDirectory` of `./node`; without it, into rows of the database. */
  blobDirectory?: BlobDirectory;
  /** Streams that wrote nothing for so long are taken for dead at the next opening, 1 hour by default. */
  staleStageMs?: number;
}

/**
 * Artifacts in SQLite. Any number of processes may have the same file open.
 * @throws ArtifactStoreError `store_failed` with the `SqlError` as cause, `corrupt` for a file that is no database, `aborted`
 */
export async function openSqliteArtifactStore(options: SqliteArtifactStoreOptions): Promise<ArtifactStore> {
  const { database: lent, blobDirectory: directory, clock = systemClock, staleStageMs = 3_600_000, signal } = options;
  let database = lent;
  try {
    database ??= await openSqlite(options);
    const own = database;
    await migrate(own, { component: "artifact_store", migrations, ...(signal === undefined ? {} : { signal }) });
    await sweepStages(own, directory, clock.now() - staleStageMs);
    if (directory !== undefined) await removeDroppedFiles(own, directory);
    const close = (): void => (lent === undefined ? own.close() : undefined);
    return createArtifactStore(createSqliteDriver({ database: own, clock, directory, close }), options);
  } catch (error) {
    if (lent === undefined) database?.close();
    throw openErrorOf(error);
  }
}

function openErrorOf(error: unknown): unknown {
  if (!SqlError.isInstance(error)) return error;
  const { code, message } = error;
  const own = code === "corrupt" || code === "disk_full" || code === "aborted" ? code : "store_failed";
  return new ArtifactStoreError(own, `The SQLite store could not be opened. ${message}`, { cause: error });
}
