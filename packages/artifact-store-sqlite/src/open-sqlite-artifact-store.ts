import { ArtifactStoreError, type ArtifactStore } from "@ccl/artifact-store";
import { createArtifactStore, type ArtifactStoreOptions } from "@ccl/artifact-store/driver";
import { systemClock } from "@ccl/core";
import { migrate, SqlError, type SqliteDatabase } from "@ccl/sql";
import { openSqlite, type OpenSqliteOptions } from "@ccl/sql/node";
import { migrations } from "./schema.ts";
import { createSqliteDriver } from "./sqlite-driver.ts";
import { removeDroppedFiles, sweepStages } from "./sweep-leftovers.ts";
import type { BlobDirectory } from "./blob-directory.ts";

/**
 * Where the artifacts are stored: in a file, opened with the options of `openSqlite`, or in a database that stays open.
 */
export interface SqliteArtifactStoreOptions
  extends Omit<OpenSqliteOptions, "path">, ArtifactStoreOptions {
  path?: string | undefined;
  /** Used instead of `path`. Its durability applies. */
  client?: SqliteDatabase | undefined;
  /**
   * Where long content is stored, from `openBlobDirectory` of `./node`. Without it, it is stored in rows of the
   * database.
   */
  blobDirectory?: BlobDirectory | undefined;
}

/** A stream that has written nothing for this long is abandoned. It is removed when the store is next opened. */
const staleStageMs = 3_600_000;

/**
 * Opens an artifact store in SQLite. Any number of processes may open the same file.
 * @throws ArtifactStoreError `invalid_input`, `unavailable` with the `SqlError` as cause, `damaged` if the file is not
 * a database, `aborted`
 */
export async function openSqliteArtifactStore(
  options: SqliteArtifactStoreOptions,
): Promise<ArtifactStore> {
  const { blobDirectory: directory, clock = systemClock, signal } = options;
  let own: SqliteDatabase | undefined;
  try {
    const database = options.client ?? (own = await openFile(options));
    await migrate(database, { component: "artifact_store", migrations, signal });
    await sweepStages(database, directory, clock.now() - staleStageMs);
    if (directory !== undefined) await removeDroppedFiles(database, directory);
    const close = (): void => own?.close();
    return createArtifactStore(createSqliteDriver({ database, clock, directory, close }), options);
  } catch (error) {
    own?.close();
    throw openErrorOf(error);
  }
}

async function openFile(options: SqliteArtifactStoreOptions): Promise<SqliteDatabase> {
  const { path } = options;
  if (typeof path !== "string" || path === "" || path.includes("\0"))
    throw new ArtifactStoreError("invalid_input", "Name the database's file as the path.");
  const database = await openSqlite({ ...options, path });
  // Some URIs name a database that exists only as long as its connection.
  const file = "SELECT 1 FROM pragma_database_list WHERE name = 'main' AND file <> ''";
  if (path === ":memory:" || database.prepare(file).get() !== undefined) return database;
  database.close();
  const message = `"${path}" names no file, so nothing would be kept; pass ":memory:" if that is intended.`;
  throw new ArtifactStoreError("invalid_input", message);
}

const passedOn = ["invalid_input", "damaged", "disk_full", "read_only", "aborted"] as const;

function openErrorOf(error: unknown): unknown {
  if (!SqlError.isInstance(error)) return error;
  const { code, message } = error;
  const own = passedOn.find((passed) => passed === code) ?? "unavailable";
  return new ArtifactStoreError(own, `The SQLite store could not be opened. ${message}`, {
    cause: error,
  });
}
