import { CatalogError } from "../catalog-error.ts";
import { throwIfAborted } from "@ccl/core/async";
import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The file with the overviews of all resources. */
export const overviewFile = "overview.jsonl";
/** The file that lists where resources come from. */
export const sourcesFile = "sources.json";

const readsPerTurn = 256;
/** The coarsest resolution of file times (FAT), and the usual one, in milliseconds. */
const coarseMs = 3_000;
const fineMs = 100;

/** Identity and times of a file. */
export interface FileStamp {
  /** Once `isSettled` is true, any change to the content changes this text. */
  text: string;
  /** False if another change within the resolution of file times could leave the stamp unchanged. */
  isSettled: boolean;
}

/** Stamps every file in a catalog folder. Returns the stamps by path. */
export function stampFolder(folder: string): Map<string, FileStamp> {
  const nowMs = Date.now();
  const stamps = new Map<string, FileStamp>();
  for (const name of namesIn(folder)) {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (found === undefined) continue;
    const { ino, size, mtimeMs, ctimeMs } = found;
    const resolutionMs = Number.isInteger(mtimeMs / 1000) ? coarseMs : fineMs;
    const isSettled = nowMs - Math.max(mtimeMs, ctimeMs) > resolutionMs;
    stamps.set(name, { text: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, isSettled });
  }
  return stamps;
}

/** Reads the files as text. Returns undefined if any has disappeared. */
export async function readTexts(
  folder: string,
  names: Iterable<string>,
  signal: AbortSignal | undefined,
): Promise<Map<string, string> | undefined> {
  const texts = new Map<string, string>();
  for (const name of names) {
    if (texts.size % readsPerTurn === readsPerTurn - 1)
      await new Promise((resolve) => setImmediate(resolve));
    throwIfAborted(signal, CatalogError);
    const text = readTextSync(join(folder, name));
    if (text === undefined) return undefined;
    texts.set(name, text);
  }
  return texts;
}

/** Reads a file as text. Returns undefined if it does not exist. */
export function readTextSync(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && /^ENO(?:ENT|TDIR)$/.test(String(error.code)))
      return undefined;
    throw error;
  }
}

function namesIn(folder: string): string[] {
  const names = [overviewFile, sourcesFile];
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
