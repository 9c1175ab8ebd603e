import { throwIfAborted } from "@ccl/core/async";
import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { type Issue, sha256Hex } from "@ccl/core";
import { NodeIoError, withFileLock } from "@ccl/core/node";

import { CatalogError } from "../catalog-error.ts";
import type { CallOptions } from "../catalog/catalog.ts";
import { detailsPath } from "../forms/details-path.ts";
import type { ResourceInput, ResourceRecord } from "../record/resource-record.ts";
import type { SnapshotRecord } from "../snapshot/snapshot-index.ts";
import { type FolderContent, loadContent, saveCached, saveContent } from "./folder-cache.ts";
import { overviewFile, readTexts, sourcesFile, stampFolder } from "./folder-files.ts";
import { commitChanges, finishChanges, hasUnfinishedChanges } from "./folder-journal.ts";
import {
  type CatalogSource,
  formatSources,
  type ImportedSource,
  sourceKey,
} from "./sources-file.ts";

/** The content that `write` stores in a folder. */
export interface CatalogFolderState {
  records: readonly ResourceRecord[];
  sources: readonly ImportedSource[];
}

/**
 * A catalog as a folder that is easy to read in a diff: `overview.jsonl`, `details/`, `imported/`
 * and `sources.json`. Several processes may share it, and people may edit it.
 */
export interface CatalogFolder {
  readonly path: string;
  /** True if the folder contains a catalog, even if its first import was killed. */
  exists(): boolean;
  /** Creates an empty catalog. Returns false if one already exists. @throws CatalogError `conflict`, `aborted` */
  init(options?: CallOptions): Promise<boolean>;
  /**
   * Reads the records on disk, after finishing any write that a killed process left incomplete.
   * @throws CatalogError `damaged` with every issue, `conflict` if it never stops
   * changing, `aborted`
   */
  read(options?: CallOptions): Promise<FolderContent>;
  /**
   * Reads sources with their resources.
   * @throws CatalogError as `read`, and `conflict` if they changed since `read`
   */
  readSources(content: FolderContent, options?: CallOptions): Promise<ImportedSource[]>;
  /**
   * Replaces what `read` returned. Writes all files or none.
   * @throws CatalogError `conflict` if someone else has written since
   */
  write(
    before: FolderContent,
    after: CatalogFolderState,
    options?: CallOptions,
  ): Promise<FolderContent>;
  /** Returns the bytes from the last `saveIndex`, or undefined if there are none. */
  loadIndex(): Promise<Uint8Array | undefined>;
  /** Saves a search index beside the records, in a cache that version control ignores. */
  saveIndex(bytes: Uint8Array): Promise<void>;
}

const maxReads = 20;
const retryMs = 10;
const indexFile = "index.bin";

/** Options of `createCatalogFolder`. */
export interface CatalogFolderOptions {
  /**
   * If true, `read` does not change the folder. It keeps no cache there, and an unfinished change is a `conflict`.
   */
  readOnly?: boolean | undefined;
}

/** Creates a handle on the folder at an absolute path. Creating it does no I/O. */
export function createCatalogFolder(
  path: string,
  { readOnly = false }: CatalogFolderOptions = {},
): CatalogFolder {
  let last: FolderContent | undefined;
  return {
    path,
    exists: () => existsSync(join(path, overviewFile)) || hasUnfinishedChanges(path),
    init: ({ signal } = {}) =>
      withLock(path, signal, async () => {
        await finishChanges(path);
        if (existsSync(join(path, overviewFile))) return false;
        const files = { [overviewFile]: "", [sourcesFile]: formatSources([]) };
        await commitChanges(path, files, new Map());
        return true;
      }),
    async read({ signal } = {}) {
      for (let reads = 0; reads < maxReads; reads += 1) {
        if (reads > 0) await sleep(retryMs);
        throwIfAborted(signal, CatalogError);
        if (hasUnfinishedChanges(path)) {
          if (readOnly) continue;
          await withLock(path, signal, () => finishChanges(path));
        }
        const known = last ?? loadContent(path);
        const content = await readContent(path, known, signal);
        if (content === undefined || hasUnfinishedChanges(path)) continue;
        if (readOnly) last = content;
        else if (content !== known) await saveContent(path, content);
        return content;
      }
      throw conflict(`${path} keeps changing; try again when no one writes to it.`);
    },
    async readSources({ files }, { signal } = {}) {
      const names = [...files.keys()].filter(
        (name) => name === sourcesFile || name.startsWith("imported/"),
      );
      const texts = await readTexts(path, names, signal);
      if (texts === undefined || !matchesKnown(files, texts)) throw changedMeanwhile(path);
      const { fromJsonl } = await import("../importers/from-jsonl.ts");
      const { parseSources } = await import("./parse-sources.ts");
      return parseSources(texts.get(sourcesFile) ?? formatSources([])).map((source) => {
        const read = fromJsonl(texts.get(importedPath(source)) ?? "");
        if (!read.ok) throw damagedCatalog(join(path, importedPath(source)), read.issues);
        return { ...source, resources: read.value };
      });
    },
    async write(before, after, { signal } = {}) {
      const texts = await filesOf(after);
      const changes = changesOf(before, texts);
      if (Object.keys(changes).length === 0) return before;
      return await withLock(path, signal, async () => {
        await finishChanges(path);
        if (!(await isUnchanged(path, before, signal))) throw changedMeanwhile(path);
        throwIfAborted(signal, CatalogError);
        const hashes = new Map([...before.files].map(([name, { sha256 }]) => [name, sha256]));
        await commitChanges(path, changes, hashes);
        const stamps = stampFolder(path);
        const files = Object.entries(texts).map(([name, text]) => {
          const stamp = stamps.get(name);
          const known = {
            stamp: stamp?.isSettled === true ? stamp.text : "",
            sha256: sha256Hex(text),
          };
          return [name, known] as const;
        });
        const content = { files: new Map(files), records: hashed(after.records) };
        await saveContent(path, content);
        return content;
      });
    },
    async loadIndex() {
      try {
        return readFileSync(join(path, ".cache", indexFile));
      } catch {
        return undefined;
      }
    },
    saveIndex: (bytes) => saveCached(path, indexFile, bytes),
  };
}

/**
 * Runs work under the folder's lock.
 * @throws CatalogError `conflict` if another process holds the lock for too long, `aborted`
 */
async function withLock<T>(
  path: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(path, { recursive: true });
  try {
    return await withFileLock(join(path, ".lock"), { signal }, work);
  } catch (error) {
    throwIfAborted(signal, CatalogError);
    if (NodeIoError.isInstance(error) && error.code === "locked")
      throw new CatalogError("conflict", error.message, { cause: error });
    throw error;
  }
}

/**
 * Returns the cached content if no file has changed, otherwise reads the files. Returns undefined if they change
 * meanwhile.
 */
async function readContent(
  path: string,
  known: FolderContent | undefined,
  signal: AbortSignal | undefined,
): Promise<FolderContent | undefined> {
  const stamps = stampFolder(path);
  const touched = touchedFiles(stamps, known?.files);
  const isSameList = known?.files.size === stamps.size;
  if (known !== undefined && isSameList && touched.length === 0) return known;
  const changed = await readTexts(path, touched, signal);
  if (changed === undefined) return undefined;
  const isSame = known !== undefined && isSameList && matchesKnown(known.files, changed);
  const texts = isSame ? changed : await readTexts(path, stamps.keys(), signal);
  if (texts === undefined || !matchesStamps(stamps, stampFolder(path))) return undefined;
  const files = [...stamps].map(([name, { text: stamp, isSettled }]) => {
    const text = texts.get(name);
    const sha256 = text === undefined ? (known?.files.get(name)?.sha256 ?? "") : sha256Hex(text);
    return [name, { stamp: isSettled ? stamp : "", sha256 }] as const;
  });
  const records = isSame ? known.records : hashed(await recordsOf(path, texts));
  return { files: new Map(files), records };
}

async function recordsOf(
  path: string,
  texts: ReadonlyMap<string, string>,
): Promise<ResourceRecord[]> {
  // Imported lazily: loading it takes longer than loading a whole catalog from the cache.
  const { fromCatalogFiles } = await import("../forms/catalog-files.ts");
  const read = fromCatalogFiles(Object.fromEntries(texts));
  if (!read.ok) throw damagedCatalog(path, read.issues);
  return read.value;
}

function hashed(records: readonly ResourceRecord[]): SnapshotRecord[] {
  return records.map((record) => ({ record, hash: sha256Hex(JSON.stringify(record)) }));
}

async function filesOf({
  records,
  sources,
}: CatalogFolderState): Promise<Readonly<Record<string, string>>> {
  const { toCatalogFiles } = await import("../forms/catalog-files.ts");
  const imported = sources.map((source): [string, string] => [
    importedPath(source),
    linesOf(source.resources),
  ]);
  return {
    ...toCatalogFiles(records),
    ...Object.fromEntries(imported),
    [sourcesFile]: formatSources(sources),
  };
}

function linesOf(resources: readonly ResourceInput[]): string {
  return resources.map((resource) => `${JSON.stringify(resource)}\n`).join("");
}

/** File names are escaped for every file system, like those of details. */
function importedPath(source: CatalogSource): string {
  return detailsPath(sourceKey(source).toLowerCase()).replace(
    /^details\/(.*)\.json$/,
    "imported/$1.jsonl",
  );
}

function changesOf(
  { files }: FolderContent,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const removed = [...files.keys()].filter((path) => !Object.hasOwn(after, path));
  const texts = Object.entries(after).filter(
    ([path, text]) => files.get(path)?.sha256 !== sha256Hex(text),
  );
  return Object.fromEntries([...removed.map((path) => [path, null] as const), ...texts]);
}

/** Compares the content if the stamp differs. */
async function isUnchanged(
  path: string,
  { files }: FolderContent,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const stamps = stampFolder(path);
  const texts = await readTexts(path, touchedFiles(stamps, files), signal);
  return texts !== undefined && stamps.size === files.size && matchesKnown(files, texts);
}

/** Returns files whose stamp has changed since the last read. */
function touchedFiles(stamps: Stamps, files: FolderContent["files"] | undefined): string[] {
  return [...stamps].flatMap(([name, { text }]) => (files?.get(name)?.stamp === text ? [] : name));
}

function matchesKnown(files: FolderContent["files"], texts: ReadonlyMap<string, string>): boolean {
  return [...texts].every(([name, text]) => files.get(name)?.sha256 === sha256Hex(text));
}

type Stamps = ReturnType<typeof stampFolder>;

function matchesStamps(before: Stamps, after: Stamps): boolean {
  return (
    before.size === after.size &&
    [...before].every(([name, { text }]) => after.get(name)?.text === text)
  );
}

function conflict(message: string): CatalogError {
  return new CatalogError("conflict", message);
}

function changedMeanwhile(path: string): CatalogError {
  return conflict(`${path} was changed meanwhile, and nothing was written. Run the command again.`);
}

/** Creates the error for files that are not a valid catalog. `place` says where they are. */
export function damagedCatalog(place: string, issues: readonly Issue[]): CatalogError {
  const lines = issues
    .slice(0, 20)
    .map((issue) => `${issue.code} at ${issue.path.join("/")}: ${issue.message}`);
  const rest = issues.length > lines.length ? `\n[${issues.length - lines.length} more]` : "";
  const message = `The catalog in ${place} can't be read:\n${lines.join("\n")}${rest}`;
  return new CatalogError("damaged", message, { details: { issues } });
}
