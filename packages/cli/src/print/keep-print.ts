import { hash } from "node:crypto";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join, posix } from "node:path";

import { systemClock } from "@ccl/core";
import { writeFileDurable } from "@ccl/core/node";

import type { Session } from "../session.ts";
import {
  CONTEXT_FILES,
  digestOf,
  invocationOf,
  keyOf,
  RECORD_FILE,
  stampOf,
} from "./print-record.ts";
import type { PrintSources } from "./print-record.ts";

/** Watches what a pack is made from, so that its text can be printed again as long as nothing of that changes. */
export interface PrintKeeper {
  /** To be called with the named files' paths before any of them is read. */
  watch(paths: string[]): void;
  /** To be called when the text stands in `PRINTED_FILE`. */
  keep(text: string): Promise<void>;
}

/** A file as new as that may change once more and have the same times: those of FAT go by two seconds. */
const RACY_MS = 3000;

/** To be called before the context files are read. Undefined where the command line does not say what it prints. */
export function createPrintKeeper({ root, args, terminal }: Session): PrintKeeper | undefined {
  const invocation = invocationOf(args, terminal.cwd());
  if (invocation?.root !== root) return undefined;
  const files = CONTEXT_FILES.map((path) => join(root, path));
  const look = () => files.map((path) => ({ path, stamp: stampOf(path), digest: digestOf(path) }));
  const context = attempt(look);
  let stamps: PrintSources["stamps"] | undefined;
  return {
    watch(paths) {
      stamps = attempt(() => stampsOf(root, paths));
    },
    async keep(text) {
      const isSame = JSON.stringify(context) === JSON.stringify(attempt(look));
      if (stamps === undefined || context === undefined || !isSame) return;
      const digests = context.map(({ path, digest }): [string, string] => [path, digest]);
      const sources: PrintSources = { stamps, digests, textDigest: hash("sha256", text) };
      const record = `${keyOf(invocation)}\n${JSON.stringify(sources)}\n`;
      await writeFileDurable(join(root, RECORD_FILE), record, { durability: "off" }).catch(
        () => undefined,
      );
    },
  };
}

/** A record only saves time, so whatever is wrong with a file is left to those who need it. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** Undefined where a stamp can't be trusted: a file that is new, not there, or reached by a link. */
function stampsOf(root: string, paths: string[]): PrintSources["stamps"] | undefined {
  const oldestMs = systemClock.now() - RACY_MS;
  const isOld = (stamp: string): boolean => {
    const [kind, mtimeMs, ctimeMs] = stamp.split(" ");
    return kind === "file" && Math.max(Number(mtimeMs), Number(ctimeMs)) < oldestMs;
  };
  const files = [...codeFiles(), ...paths.map((path) => join(root, path))].map(stamped);
  const folders = foldersOf([...paths, RECORD_FILE]).map((folder) => stamped(join(root, folder)));
  const areTrusted =
    files.every(([, stamp]) => isOld(stamp)) &&
    folders.every(([, stamp]) => stamp.startsWith("folder "));
  return areTrusted ? [...folders, stamped(join(root, ".ccl/ctx")), ...files] : undefined;
}

const stamped = (path: string): [string, string] => [path, stampOf(path)];

/** Every folder below the root on the way to one of the paths. */
function foldersOf(paths: string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (
      let folder = posix.dirname(path);
      folder !== "." && !folders.has(folder);
      folder = posix.dirname(folder)
    ) {
      folders.add(folder);
    }
  }
  return [...folders];
}

/** The program and the libraries that shape a pack. A build names its other files in these. */
function codeFiles(): string[] {
  const require = createRequire(import.meta.url);
  const aliases = require.resolve("@ccl/aliases");
  const fromAliases = createRequire(aliases);
  const libraries = [
    "@vscode/tree-sitter-wasm/package.json",
    "yaml/package.json",
    "diff/package.json",
  ];
  return [
    realpathSync(process.argv[1] ?? ""),
    aliases,
    require.resolve("@ccl/core"),
    require.resolve("@ccl/core/bpe"),
    require.resolve("@ccl/core/node"),
    ...libraries.map((name) => fromAliases.resolve(name)),
  ];
}
