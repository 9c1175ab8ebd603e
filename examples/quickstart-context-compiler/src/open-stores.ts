import path from "node:path";

import type { ArtifactStore } from "@ccl/artifact-store";
import { openFsArtifactStore } from "@ccl/artifact-store-fs";
import { openSqliteArtifactStore } from "@ccl/artifact-store-sqlite";
import { createSessionStore, type SessionStore } from "@ccl/context-compiler";
import { openRecords } from "@ccl/records/node";
import { SqlError } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";

/** The stores of the session and the payloads. */
export interface Stores {
  /** Their description, for display. */
  kind: string;
  sessions: SessionStore;
  artifacts: ArtifactStore;
  close(): Promise<void>;
}

/** One SQLite file for both, or plain files if no SQLite driver is installed. */
export async function openStores(folder: string): Promise<Stores> {
  try {
    return await openSqliteStores(path.join(folder, "quickstart.sqlite"));
  } catch (error) {
    if (!SqlError.isInstance(error) || error.code !== "no_driver") throw error;
    return openFileStores(folder);
  }
}

async function openSqliteStores(file: string): Promise<Stores> {
  const database = await openSqlite({ path: file });
  const records = await openRecords({ sqlite: database });
  const artifacts = await openSqliteArtifactStore({ client: database });
  const sessions = createSessionStore(records);
  const close = async (): Promise<void> => {
    await Promise.all([records.close(), artifacts.close()]);
    database.close();
  };
  return { kind: `SQLite by ${database.driver}`, sessions, artifacts, close };
}

async function openFileStores(folder: string): Promise<Stores> {
  const records = await openRecords({ folder: path.join(folder, "sessions") });
  const artifacts = await openFsArtifactStore({ folder: path.join(folder, "artifacts") });
  const sessions = createSessionStore(records);
  const close = async (): Promise<void> => {
    await Promise.all([records.close(), artifacts.close()]);
  };
  return { kind: "plain files, since no SQLite driver is installed", sessions, artifacts, close };
}
