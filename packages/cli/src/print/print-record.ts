import { hash } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** A command line that prints a pack, less a `--show` at its end. */
export interface PrintInvocation {
  /** Absolute. */
  root: string;
  cwd: string;
  args: string[];
}

/** All that a printed pack was made from. */
export interface PrintSources {
  /** `stampOf` every named file, the folders on the way to it, and the code. Absolute, as are all paths here. */
  stamps: [path: string, stamp: string][];
  /** `digestOf` the context files, which are too new for their stamps to be trusted. */
  digests: [path: string, digest: string][];
  /** Of the text, which stands in `PRINTED_FILE`. */
  textDigest: string;
}

/** Relative to the root, as are the next two. */
export const RECORD_FILE = ".ccl/cache/print.json";
/** What `ccl pack` printed last and kept. */
export const PRINTED_FILE = ".ccl/prompt.pack";
/** What a pack reads beside the named files. */
export const CONTEXT_FILES: string[] = [
  ".ccl/aliases.json",
  ".ccl/vocab.json",
  ".ccl/ctx/base.json",
  ".ccl/ctx/base.sha",
];

/** Undefined for everything but a plain `[-C <dir>] pack ...`. What the arguments mean is left to the command itself. */
export function invocationOf(argv: string[], cwd: string): PrintInvocation | undefined {
  const [dir, args] =
    argv[0] === "-C" && argv[1] !== undefined ? [argv[1], argv.slice(2)] : [".", argv];
  if (args[0] !== "pack" || args.includes("--")) return undefined;
  // Only at the end: elsewhere it may be the value of another flag.
  return {
    root: resolve(cwd, dir),
    cwd,
    args: args.at(-1) === "--show" ? args.slice(0, -1) : args,
  };
}

/** The first line of a record: for whom it is, and of which program. */
export function keyOf(invocation: PrintInvocation): string {
  return JSON.stringify({
    format: 1,
    ...invocation,
    node: process.version,
    program: fileURLToPath(import.meta.url),
  });
}

/** What the system says of a path itself, links not followed. A folder is known by what it is, not by its times. */
export function stampOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "absent";
  if (stats.isDirectory()) return `folder ${stats.dev} ${stats.ino}`;
  return stats.isFile()
    ? `file ${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino}`
    : "other";
}

/** SHA-256 of a regular file's bytes, links not followed. */
export function digestOf(path: string): string {
  const stamp = stampOf(path);
  return stamp.startsWith("file ") ? hash("sha256", readFileSync(path)) : stamp;
}
