import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { NodeIoError, withFileLock } from "@ccl/core/node";

import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import type { FolderContent } from "./folder-cache.ts";
import { OVERVIEW } from "./folder-files.ts";
import { finishChanges, hasUnfinishedChanges } from "./folder-journal.ts";
import { readContent } from "./read-content.ts";

/** The records of a project's catalog as they stand on disk. */
export interface CatalogRecords {
  /** Absolute. */
  path: string;
  content: FolderContent;
}

const MAX_TRIES = 20;
const LOCK_WAIT_MS = 5_000;

/** Where the project's catalog is. */
export function catalogPath({ root, directory }: Session): string {
  return join(root, directory, "catalog");
}

/** True where the project has a catalog. */
export function hasCatalog(session: Session): boolean {
  const path = catalogPath(session);
  return existsSync(join(path, OVERVIEW)) || hasUnfinishedChanges(path);
}

/** Reads the records; finishes first what a killed process left. Fails where there is no catalog. */
export async function readCatalog(session: Session): Promise<CatalogRecords> {
  return await whenAtRest(session, (path) => readAtRest(session, path));
}

/** Reads the folder again as long as somebody writes to it: `read` gives undefined then. */
export async function whenAtRest<T>(
  session: Session,
  read: (path: string) => Promise<T | undefined>,
): Promise<T> {
  const path = catalogPath(session);
  if (!hasCatalog(session)) {
    throw new CliError(
      "not_initialized",
      `No catalog in ${path}. Run "ccl catalog init" or "ccl catalog import" first.`,
    );
  }
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    session.signal.throwIfAborted();
    if (hasUnfinishedChanges(path)) await withCatalogLock(session, () => finishChanges(path));
    const found = await read(path);
    // Somebody wrote meanwhile: what was read may be of two states.
    if (found !== undefined) return found;
  }
  throw new CliError(
    "catalog_conflict",
    `${path} changes all the time; try again when it is at rest.`,
  );
}

/** The records; undefined where somebody wrote meanwhile. */
export async function readAtRest(
  session: Session,
  path: string,
): Promise<CatalogRecords | undefined> {
  const content = await readContent(path, session.signal);
  return content === undefined || hasUnfinishedChanges(path) ? undefined : { path, content };
}

/** Runs `work` while nobody else writes to the catalog. */
export async function withCatalogLock<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await mkdir(catalogPath(session), { recursive: true });
  const { signal } = session;
  const path = join(catalogPath(session), ".lock");
  return await withFileLock(path, { waitMs: LOCK_WAIT_MS, signal }, work).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      if (!NodeIoError.isInstance(error) || error.code !== "locked") throw error;
      throw new CliError("catalog_conflict", error.message, { cause: error });
    },
  );
}
