import { join } from "node:path";

import type { ResourceRecord } from "@ccl/catalog";
import { type CatalogFolder, createCatalogFolder, type FolderContent } from "@ccl/catalog/node";
import { type CatalogSnapshot, createCatalogSnapshot } from "@ccl/catalog/snapshot";
import type { TokenCounter } from "@ccl/core";

import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";

/** The catalog of a project, as stored on disk. */
export interface ReadCatalog {
  folder: CatalogFolder;
  content: FolderContent;
  records: ResourceRecord[];
}

/** Returns the folder of the project's catalog. It need not exist. */
export function catalogFolder({ root, directory, isReadOnly }: Session): CatalogFolder {
  return createCatalogFolder(join(root, directory, "catalog"), { readOnly: isReadOnly });
}

/** Reads the records. @throws CliError `not_initialized` */
export async function readCatalog(
  session: Session,
  folder: CatalogFolder = catalogFolder(session),
): Promise<ReadCatalog> {
  if (!folder.exists()) {
    throw new CliError(
      "not_initialized",
      `No catalog in ${folder.path}. Run "ccl catalog init" or "ccl catalog import" first.`,
    );
  }
  const content = await folder.read(session);
  return { folder, content, records: content.records.map(({ record }) => record) };
}

/** Opens the records for search with public rights, that is without personal columns. */
export function openSnapshot(
  { folder, content }: Omit<ReadCatalog, "records">,
  counter?: TokenCounter,
): CatalogSnapshot {
  return createCatalogSnapshot({ records: content.records, loadSaved: folder.loadIndex, counter });
}

/** Searches the records with public rights, and saves the index for the next process. */
export async function withSnapshot<T>(
  read: ReadCatalog,
  { signal, counter }: { signal: AbortSignal; counter?: TokenCounter | undefined },
  work: (snapshot: CatalogSnapshot) => Promise<T>,
): Promise<T> {
  const snapshot = openSnapshot(read, counter);
  const found = await work(snapshot);
  await saveIndex(read, snapshot, signal);
  return found;
}

/** Saves the search index for the next process, unless it is already saved. */
export async function saveIndex(
  { folder }: Pick<ReadCatalog, "folder">,
  snapshot: CatalogSnapshot,
  signal: AbortSignal,
): Promise<void> {
  const bytes = await snapshot.save({ signal });
  if (bytes !== undefined) await folder.saveIndex(bytes);
}
