import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { type CatalogFiles, detailsPath, fromCatalogFiles, fromJsonl, type ResourceRecord } from "@ccl/catalog";
import { toCatalogFiles } from "@ccl/catalog";
import { type Issue, sha256Hex } from "@ccl/core";

import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import { type CatalogSource, formatSources, type ImportedSource, parseSources, sourceKey } from "./catalog-source.ts";
import { commitChanges, finishChanges, type FolderChanges, hasPendingChanges } from "./folder-journal.ts";
import { withLock } from "./folder-lock.ts";

/** The catalog of a project as it stands on disk. */
export interface CatalogFolder {
  /** Absolute. */
  path: string;
  /** By id. */
  records: ResourceRecord[];
  sources: ImportedSource[];
  /** Every text by its path; what a later write is compared with. */
  files: CatalogFiles;
}

const OVERVIEW = "overview.jsonl";
const SOURCES = "sources.json";
const MAX_TRIES = 20;
const READS_AT_ONCE = 32;

/** Where the project's catalog is. */
export function catalogPath({ root, directory }: Session): string {
  return join(root, directory, "catalog");
}

/** True where the project has a catalog. */
export async function hasCatalog(session: Session): Promise<boolean> {
  const path = catalogPath(session);
  return (await isThere(join(path, OVERVIEW))) || (await hasPendingChanges(path));
}

/** An empty catalog; an existing one stays as it is. Gives whether it is new. */
export async function initCatalog(session: Session): Promise<boolean> {
  if (await hasCatalog(session)) return false;
  const path = catalogPath(session);
  await mkdir(path, { recursive: true });
  const empty = { [OVERVIEW]: "", [SOURCES]: formatSources([]) };
  return await locked(session, async () => {
    if (await isThere(join(path, OVERVIEW))) return false;
    await commitChanges(path, empty);
    return true;
  });
}

/** Reads the catalog; finishes first what a killed process left. Fails where there is none. */
export async function readCatalogFolder(session: Session): Promise<CatalogFolder> {
  const path = catalogPath(session);
  if (!(await hasCatalog(session))) {
    throw new CliError(
      "not_initialized",
      `No catalog in ${path}. Run "ccl catalog init" or "ccl catalog import" first.`,
    );
  }
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    session.signal.throwIfAborted();
    if (await hasPendingChanges(path)) await locked(session, () => finishChanges(path));
    const before = await stampOf(path);
    const files = await readFiles(path, session.signal);
    // Somebody wrote meanwhile: what was read may be of two states.
    if (files === undefined || (await hasPendingChanges(path)) || (await stampOf(path)) !== before) continue;
    return parseFolder(path, files);
  }
  throw new CliError("catalog_conflict", `${path} changes all the time; try again when it is at rest.`);
}

/**
 * Brings the folder to the given records and sources, all files or none.
 * @throws CliError `catalog_conflict` where somebody else wrote since it was read
 */
export async function writeCatalogFolder(
  session: Session,
  before: CatalogFolder,
  { records, sources }: Pick<CatalogFolder, "records" | "sources">,
): Promise<void> {
  const { path } = before;
  const changes = changesOf(before.files, filesOf({ records, sources }));
  if (Object.keys(changes).length === 0) return;
  await locked(session, async () => {
    await finishChanges(path);
    const now = await readFiles(path, session.signal);
    if (now === undefined || fingerprint(now) !== fingerprint(before.files)) {
      const message = `Somebody changed ${path} meanwhile, and nothing was written. Run the command again.`;
      throw new CliError("catalog_conflict", message);
    }
    session.signal.throwIfAborted();
    await commitChanges(path, changes);
  });
}

/** The records of a folder in this form. @throws CliError `catalog_damaged` with every issue */
export function parseRecords(files: CatalogFiles, place: string): ResourceRecord[] {
  const read = fromCatalogFiles(files);
  if (!read.ok) throw damaged(place, read.issues);
  return read.value;
}

/** Every text of a folder in this form; undefined where a file vanished while it was read. */
export async function readFiles(path: string, signal: AbortSignal): Promise<CatalogFiles | undefined> {
  const names = [OVERVIEW, SOURCES];
  for (const folder of ["details", "imported"]) {
    const found = await readdir(join(path, folder)).catch(() => []);
    names.push(...found.filter((name) => /\.jsonl?$/.test(name)).map((name) => `${folder}/${name}`));
  }
  const files: [string, string][] = [];
  for (let from = 0; from < names.length; from += READS_AT_ONCE) {
    signal.throwIfAborted();
    const texts = await Promise.all(names.slice(from, from + READS_AT_ONCE).map((name) => readText(path, name)));
    for (const text of texts) {
      if (text === undefined) return undefined;
      files.push(text);
    }
  }
  return Object.fromEntries(files.filter(([, text]) => text !== ABSENT));
}

const ABSENT = "\u0000absent";

async function readText(path: string, name: string): Promise<[string, string] | undefined> {
  try {
    return [name, await readFile(join(path, name), "utf8")];
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "ENOENT") throw error;
    return name === SOURCES || name === OVERVIEW ? [name, ABSENT] : undefined;
  }
}

function parseFolder(path: string, files: CatalogFiles): CatalogFolder {
  const records = parseRecords(files, path);
  const sources = parseSources(files[SOURCES] ?? formatSources([])).map((source) => {
    const text = files[importedPath(source)];
    const read = fromJsonl(text ?? "");
    if (!read.ok) throw damaged(join(path, importedPath(source)), read.issues);
    return { ...source, resources: read.value };
  });
  return { path, records, sources, files };
}

function filesOf({ records, sources }: Pick<CatalogFolder, "records" | "sources">): CatalogFiles {
  const imported = sources.map((source): [string, string] => [
    importedPath(source),
    source.resources.map((resource) => `${JSON.stringify(resource)}\n`).join(""),
  ]);
  return { ...toCatalogFiles(records), ...Object.fromEntries(imported), [SOURCES]: formatSources(sources) };
}

/** Named so that every file system takes it, like the files of details. */
function importedPath(source: CatalogSource): string {
  const file = detailsPath(sourceKey(source).toLowerCase()).slice("details/".length, -".json".length);
  return `imported/${file}.jsonl`;
}

function changesOf(before: CatalogFiles, after: CatalogFiles): FolderChanges {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return Object.fromEntries(
    paths.filter((path) => before[path] !== after[path]).map((path) => [path, after[path] ?? null]),
  );
}

function damaged(place: string, issues: readonly Issue[]): CliError {
  const lines = issues.slice(0, 20).map((issue) => `${issue.code} at ${issue.path.join("/")}: ${issue.message}`);
  const message = `The catalog in ${place} can't be read:\n${lines.join("\n")}`;
  return new CliError("catalog_damaged", message, { details: { issues } });
}

function fingerprint(files: CatalogFiles): string {
  return sha256Hex(JSON.stringify(Object.entries(files).sort(([left], [right]) => (left < right ? -1 : 1))));
}

async function stampOf(path: string): Promise<string> {
  const stamps = [OVERVIEW, SOURCES, "details", "imported"].map(async (name) => {
    const found = await stat(join(path, name)).catch(() => undefined);
    return `${found?.ino}:${found?.mtimeMs}:${found?.size}`;
  });
  return (await Promise.all(stamps)).join(" ");
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function locked<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await mkdir(catalogPath(session), { recursive: true });
  return await withLock(join(catalogPath(session), ".lock"), session.signal, work);
}
