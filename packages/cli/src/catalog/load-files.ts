import { open, readdir, stat } from "node:fs/promises";
import { resolve } from "node:path";

import {
  fromFiles,
  type FromFilesOptions,
  type ResourceInput,
  type SourceFile,
} from "@ccl/catalog/importers";
import type { Result } from "@ccl/core";
import { createPathMatcher } from "@ccl/core/glob";
import { unless } from "@ccl/core/node";

import { CliError, usageError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import { loadExport } from "./load-optional.ts";
import type { SourceDraft } from "./source-draft.ts";

const SAMPLE_BYTES = 1024 * 1024;
/** A Parquet file's metadata is at its end, and its reader needs the whole file. */
const MAX_PARQUET_BYTES = 512 * 1024 * 1024;
const MAX_FILES = 10_000;
const SKIPPED = new Set(["node_modules", ".git"]);

/** Reads the resources of the files that a glob matches, inferred from the beginning of each file. */
export async function loadFiles(
  session: Session,
  { address: glob }: SourceDraft,
): Promise<Result<ResourceInput[]>> {
  const names = await matchingFiles(session, glob);
  if (names.length === 0)
    throw new CliError(
      "source_failed",
      `No file below ${session.root} matches ${glob}. Quote globs: --files "data/**/*.csv".`,
    );
  const options = parquetOptions(session, names);
  const files: SourceFile[] = [];
  for (const [index, name] of names.entries()) {
    session.signal.throwIfAborted();
    session.progress.update("Reading files", index, names.length);
    files.push(await readBeginning(session.root, name));
  }
  return fromFiles(files, { ...options, sampleBytes: SAMPLE_BYTES });
}

async function matchingFiles({ root, signal }: Session, glob: string): Promise<string[]> {
  const fits = fileMatcher(glob);
  const found: string[] = [];
  const waiting = [fixedFolder(glob)];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    signal.throwIfAborted();
    const reading = readdir(resolve(root, folder), { withFileTypes: true });
    for (const entry of await unless(["ENOENT", "ENOTDIR"], reading, [])) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) waiting.push(path);
      else if (entry.isFile() && fits(path)) found.push(path);
    }
    if (found.length > MAX_FILES)
      throw new CliError(
        "source_failed",
        `${glob} matches more than ${MAX_FILES} files. Narrow it.`,
      );
  }
  return found.sort();
}

async function readBeginning(root: string, name: string): Promise<SourceFile> {
  const path = resolve(root, name);
  const { size, mtime } = await stat(path);
  const isParquet = name.toLowerCase().endsWith(".parquet");
  if (isParquet && size > MAX_PARQUET_BYTES)
    throw new CliError("source_failed", `${path} is too large to read as a whole.`);
  const handle = await open(path, "r");
  try {
    const bytes = new Uint8Array(isParquet ? size : Math.min(size, SAMPLE_BYTES));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return {
      name,
      bytes: bytes.subarray(0, bytesRead),
      sizeBytes: size,
      updated_at: mtime.toISOString(),
    };
  } finally {
    await handle.close();
  }
}

function parquetOptions(session: Session, names: readonly string[]): FromFilesOptions {
  if (!names.some((name) => name.toLowerCase().endsWith(".parquet"))) return {};
  const reader = loadExport(session, "hyparquet", "parquetMetadata");
  if (!isReader(reader)) {
    throw usageError(
      "Parquet files need the package hyparquet: run `npm install hyparquet` in the project.",
    );
  }
  return { parquetMetadata: reader };
}

function isReader(value: unknown): value is NonNullable<FromFilesOptions["parquetMetadata"]> {
  return typeof value === "function";
}

/** Creates a test of paths for a flag's glob. Wildcards do not match a leading dot. @throws CliError `usage` */
export function fileMatcher(glob: string): (path: string) => boolean {
  const fits = createPathMatcher(glob, { hasBraces: true, skipsDotNames: true });
  const plain = glob.replace(/\[[^\]][^\]]*\]/g, "");
  const open = /[[{]/.exec(plain.replace(/\{[^{}]*\}/g, ""));
  if (open !== null) throw usageError(`--files ${glob} has an unclosed ${open[0]}.`);
  if (fits === undefined) throw usageError(`--files ${glob} has too many alternatives.`);
  return fits;
}

/** Returns the folders that a glob names before its first wildcard. Empty for the root. */
export function fixedFolder(glob: string): string {
  const parts = glob.split("/");
  const end = parts.findIndex((part) => /[*?[{]/.test(part));
  return parts.slice(0, end < 0 ? -1 : end).join("/");
}
