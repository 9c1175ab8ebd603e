import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import type { CatalogFiles } from "@ccl/catalog";

/** The overviews of all resources. */
export const OVERVIEW = "overview.jsonl";
/** Where resources come from. */
export const SOURCES = "sources.json";

const READS_IN_A_ROW = 256;
/** The coarsest grain of a file system's times, that of FAT, and the usual one. */
const COARSE_MS = 3_000;
const FINE_MS = 100;

/** A file as it stood when it was looked at. */
export interface FileStamp {
  /** Another text for another content, once the file has settled. */
  text: string;
  /** False where a change at the same moment would leave the stamp as it is. */
  isSettled: boolean;
}

/** Every file of a catalog's folder, by path. */
export function stampFolder(folder: string): Map<string, FileStamp> {
  const nowMs = Date.now();
  const stamps = new Map<string, FileStamp>();
  for (const name of namesIn(folder)) {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (found === undefined) continue;
    const { ino, size, mtimeMs, ctimeMs } = found;
    const grainMs = Number.isInteger(mtimeMs / 1000) ? COARSE_MS : FINE_MS;
    const isSettled = nowMs - Math.max(mtimeMs, ctimeMs) > grainMs;
    stamps.set(name, { text: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, isSettled });
  }
  return stamps;
}

/** The texts of some files; undefined where one vanished meanwhile. */
export async function readTexts(
  folder: string,
  names: Iterable<string>,
  signal: AbortSignal,
): Promise<Map<string, string> | undefined> {
  const texts = new Map<string, string>();
  for (const name of names) {
    if (texts.size % READS_IN_A_ROW === READS_IN_A_ROW - 1)
      await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const text = readTextSync(join(folder, name));
    if (text === undefined) return undefined;
    texts.set(name, text);
  }
  return texts;
}

/** Every text of a folder in this form; undefined where a file vanished while it was read. */
export async function readFiles(
  folder: string,
  signal: AbortSignal,
): Promise<CatalogFiles | undefined> {
  const texts = await readTexts(folder, stampFolder(folder).keys(), signal);
  return texts === undefined ? undefined : Object.fromEntries(texts);
}

/** Undefined where there is no such file. */
export function readTextSync(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (
      error instanceof Error &&
      "code" in error &&
      (error.code === "ENOENT" || error.code === "ENOTDIR")
    )
      return undefined;
    throw error;
  }
}

function namesIn(folder: string): string[] {
  const names = [OVERVIEW, SOURCES];
  for (const inner of ["details", "imported"]) {
    const found = entriesOf(join(folder, inner)).filter(
      (entry) => !entry.isDirectory() && /\.jsonl?$/.test(entry.name),
    );
    names.push(...found.map(({ name }) => `${inner}/${name}`));
  }
  return names;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
