import { existsSync } from "node:fs";
import { join } from "node:path";

import {
  type CatalogFiles,
  detailsPath,
  fromJsonl,
  type ResourceInput,
  type ResourceRecord,
} from "@ccl/catalog";
import { toCatalogFiles } from "@ccl/catalog";
import type { SnapshotRecord } from "@ccl/catalog/snapshot";
import { sha256Hex } from "@ccl/core";

import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import {
  type CatalogSource,
  formatSources,
  type ImportedSource,
  parseSources,
  sourceKey,
} from "./catalog-source.ts";
import { type FolderContent, type KnownFile, saveContent } from "./folder-cache.ts";
import { OVERVIEW, readTexts, SOURCES, stampFolder } from "./folder-files.ts";
import { commitChanges, finishChanges, type FolderChanges } from "./folder-journal.ts";
import { damaged, hashed } from "./parse-folder.ts";
import {
  catalogPath,
  type CatalogRecords,
  hasCatalog,
  readAtRest,
  whenAtRest,
  withCatalogLock,
} from "./read-catalog.ts";

/** The catalog of a project as it stands on disk. */
export interface CatalogFolder extends CatalogRecords {
  /** By id. */
  records: ResourceRecord[];
  sources: ImportedSource[];
}

/** An empty catalog; an existing one stays as it is. Gives whether it is new. */
export async function initCatalog(session: Session): Promise<boolean> {
  if (hasCatalog(session)) return false;
  const path = catalogPath(session);
  return await withCatalogLock(session, async () => {
    if (existsSync(join(path, OVERVIEW))) return false;
    await commitChanges(path, { [OVERVIEW]: "", [SOURCES]: formatSources([]) }, new Map());
    return true;
  });
}

/** Reads records and sources. */
export async function readCatalogFolder(session: Session): Promise<CatalogFolder> {
  return await whenAtRest(session, async (path) => {
    const read = await readAtRest(session, path);
    if (read === undefined) return undefined;
    const { files, records } = read.content;
    const names = [...files.keys()].filter(
      (name) => name === SOURCES || name.startsWith("imported/"),
    );
    const texts = await readTexts(path, names, session.signal);
    if (
      texts === undefined ||
      [...texts].some(([name, text]) => files.get(name)?.sha256 !== sha256Hex(text))
    )
      return undefined;
    return {
      ...read,
      records: records.map(({ record }) => record),
      sources: sourcesOf(path, texts),
    };
  });
}

/**
 * Brings the folder to the given records and sources, all files or none.
 * @throws CliError `catalog_conflict` where somebody else wrote since it was read
 */
export async function writeCatalogFolder(
  session: Session,
  before: CatalogFolder,
  after: Pick<CatalogFolder, "records" | "sources">,
): Promise<CatalogRecords> {
  const { path } = before;
  const hashes = new Map([...before.content.files].map(([name, { sha256 }]) => [name, sha256]));
  const texts = filesOf(after);
  const changes = changesOf(hashes, texts);
  if (Object.keys(changes).length === 0) return before;
  return await withCatalogLock(session, async () => {
    await finishChanges(path);
    if (!(await isAsRead(session, before))) {
      const message = `Somebody changed ${path} meanwhile, and nothing was written. Run the command again.`;
      throw new CliError("catalog_conflict", message);
    }
    session.signal.throwIfAborted();
    await commitChanges(path, changes, hashes);
    const content = {
      files: knownFiles(path, before.content, changes),
      records: recordsAfter(before, after.records),
    };
    await saveContent(path, content);
    return { path, content };
  });
}

function sourcesOf(path: string, texts: ReadonlyMap<string, string>): ImportedSource[] {
  return parseSources(texts.get(SOURCES) ?? formatSources([])).map((source) => {
    const read = fromJsonl(texts.get(importedPath(source)) ?? "");
    if (!read.ok) throw damaged(join(path, importedPath(source)), read.issues);
    return { ...source, resources: read.value };
  });
}

function filesOf({ records, sources }: Pick<CatalogFolder, "records" | "sources">): CatalogFiles {
  const imported = sources.map((source): [string, string] => [
    importedPath(source),
    linesOf(source.resources),
  ]);
  return {
    ...toCatalogFiles(records),
    ...Object.fromEntries(imported),
    [SOURCES]: formatSources(sources),
  };
}

function linesOf(resources: readonly ResourceInput[]): string {
  return resources.map((resource) => `${JSON.stringify(resource)}\n`).join("");
}

/** Named so that every file system takes it, like the files of details. */
function importedPath(source: CatalogSource): string {
  const file = detailsPath(sourceKey(source).toLowerCase()).slice(
    "details/".length,
    -".json".length,
  );
  return `imported/${file}.jsonl`;
}

function changesOf(hashes: ReadonlyMap<string, string>, after: CatalogFiles): FolderChanges {
  const gone = [...hashes.keys()]
    .filter((path) => !Object.hasOwn(after, path))
    .map((path) => [path, null] as const);
  const texts = Object.entries(after).filter(
    ([path, text]) => hashes.get(path) !== sha256Hex(text),
  );
  return Object.fromEntries([...gone, ...texts].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Where a stamp differs, the content decides. */
async function isAsRead({ signal }: Session, { path, content }: CatalogRecords): Promise<boolean> {
  const stamps = stampFolder(path);
  if (stamps.size !== content.files.size) return false;
  const touched = [...stamps].filter(([name, { text }]) => content.files.get(name)?.stamp !== text);
  const texts = await readTexts(
    path,
    touched.map(([name]) => name),
    signal,
  );
  if (texts === undefined) return false;
  return [...texts].every(([name, text]) => content.files.get(name)?.sha256 === sha256Hex(text));
}

function knownFiles(
  path: string,
  before: FolderContent,
  changes: FolderChanges,
): Map<string, KnownFile> {
  const stamps = stampFolder(path);
  const files = new Map<string, KnownFile>();
  for (const [name, { text: stamp, isSettled }] of stamps) {
    const text = changes[name];
    const sha256 = typeof text === "string" ? sha256Hex(text) : before.files.get(name)?.sha256;
    const isKnown = typeof text === "string" ? isSettled : before.files.get(name)?.stamp === stamp;
    if (sha256 !== undefined) files.set(name, { stamp: isKnown ? stamp : "", sha256 });
  }
  return files;
}

/** Records that did not change keep their hashes. */
function recordsAfter(before: CatalogFolder, after: readonly ResourceRecord[]): SnapshotRecord[] {
  const known = new Map(before.content.records.map((each) => [each.record.id, each]));
  return hashed(after).map((each) => {
    const old = known.get(each.record.id);
    return old?.hash === each.hash ? old : each;
  });
}
