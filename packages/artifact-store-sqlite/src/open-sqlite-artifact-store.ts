import { ArtifactStoreError, type ArtifactStore } from "@ccl/artifact-store";
import { createArtifactStore, type ArtifactStoreOptions } from "@ccl/artifact-store/driver";
import { systemClock } from "@ccl/core";
import {
  migrate,
  openSqlite,
  SqlError,
  type OpenSqliteOptions,
  type SqliteDatabase,
} from "@ccl/sql";
import { migrations } from "./schema.ts";
import { createSqliteDriver } from "./sqlite-driver.ts";
import { removeDroppedFiles, sweepStages } from "./sweep-leftovers.ts";
import type { BlobDirectory } from "./blob-directory.ts";

/** Where the artifacts lie: a file, with the options of `openSqlite`, or a database that is open and stays so. */
export interface SqliteArtifactStoreOptions extends OpenSqliteOptions, ArtifactStoreOptions {
  /** Instead of `path`; its durability holds. */
  database?: SqliteDatabase | undefined;
  /** Where long contents go, from `openBlobDirectory` of `./node`; without it, into rows of the database. */
  blobDirectory?: BlobDirectory | undefined;
  /** Streams that wrote nothing for so long are taken for dead at the next opening, 1 hour by default. */
  staleStageMs?: number | undefined;
}

/**
 * Artifacts in SQLite. Any number of processes may have the same file open.
 * @throws ArtifactStoreError `invalid_input`, `store_failed` with the `SqlError` as cause, `corrupt` for a file that is no database, `aborted`
 */
export async function openSqliteArtifactStore(
  options: SqliteArtifactStoreOptions,
): Promise<ArtifactStore> {
  const {
    database: lent,
    blobDirectory: directory,
    clock = systemClock,
    staleStageMs = 3_600_000,
    signal,
  } = options;
  let database = lent;
  try {
    if (lent === undefined) checkPath(options);
    database ??= await openSqlite(options);
    const own = database;
    if (lent === undefined) checkFile(own, options);
    await migrate(own, {
      component: "artifact_store",
      migrations,
      signal,
    });
    await sweepStages(own, directory, clock.now() - staleStageMs);
    if (directory !== undefined) await removeDroppedFiles(own, directory);
    const close = (): void => (lent === undefined ? own.close() : undefined);
    return createArtifactStore(
      createSqliteDriver({ database: own, clock, directory, close }),
      options,
    );
  } catch (error) {
    if (lent === undefined) database?.close();
    throw openErrorOf(error);
  }
}

function checkPath({ path, driver }: OpenSqliteOptions): void {
  if (
    typeof driver === "object" ||
    (typeof path === "string" && path !== "" && !path.includes("\0"))
  )
    return;
  throw new ArtifactStoreError("invalid_input", "The path is no path; name the database's file.");
}

/** Some URIs stand for a database that goes with its connection. */
function checkFile(database: SqliteDatabase, { path, driver }: OpenSqliteOptions): void {
  if (typeof driver === "object" || path === ":memory:") return;
  const file = "SELECT 1 FROM pragma_database_list WHERE name = 'main' AND file <> ''";
  if (database.prepare(file).get() !== undefined) return;
  const message = `"${path}" names no file, so nothing would be kept; should that be, give ":memory:".`;
  throw new ArtifactStoreError("invalid_input", message);
}

const passedOn = ["invalid_input", "corrupt", "disk_full", "aborted"] as const;

function openErrorOf(error: unknown): unknown {
  if (!SqlError.isInstance(error)) return error;
  const { code, message } = error;
  const own = passedOn.find((passed) => passed === code) ?? "store_failed";
  return new ArtifactStoreError(own, `The SQLite store could not be opened. ${message}`, {
    cause: error,
  });
}
