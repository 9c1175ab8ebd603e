import { compareCodeUnits } from "@ccl/core";
import { lstatSync, readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";

import type { ScanReport, ScanRules } from "./alias-registry.ts";
import { locateFile, stampOf, type TreeFile } from "./locate-file.ts";
import { toIoError } from "./io-error.ts";
import { rootIgnoreRules, type IgnoreRules } from "./ignore-rules.ts";
import type { Pacer } from "./pacer.ts";
import { normalizeInsidePath } from "./registry-file.ts";

/** The files of a tree, ordered by path in code units, and the files that cannot be named. */
export interface FileTree {
  files: TreeFile[];
  skipped: ScanReport["skipped"];
}

/** Options of `walkTree`. */
interface WalkOptions {
  /** Absolute path, with links resolved. */
  root: string;
  /** Relative to the root, with forward slashes. Files in it are skipped. */
  registryDirectory: string;
  rules: Pick<ScanRules, "include" | "ignore">;
  pacer: Pacer;
}

/** Maximum size of a file. Larger files are skipped and reported. */
const MAX_FILE_BYTES = 1024 * 1024;
const NEVER_WALKED = new Set([".git", ".hg", ".svn", "node_modules", ".ccl", ".ado"]);

/**
 * Walks the tree without following links. The target of a link inside the root is named by its own
 * path. Links that lead outside the root are reported.
 * @throws AliasesError `io_failed` if the root cannot be read
 */
export async function walkTree({
  root,
  registryDirectory,
  rules,
  pacer,
}: WalkOptions): Promise<FileTree> {
  const included = rules.include && (await pathMatcher(rules.include));
  const tree: FileTree = { files: [], skipped: [] };
  const pending: PendingFolder[] = [
    { path: "", ignoreRules: await rootIgnoreRules(root, rules.ignore ?? []) },
  ];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = listFolder(root, folder.path);
    if (entries === undefined) tree.skipped.push({ path: folder.path, reason: "unreadable" });
    const names = entries?.filter((entry) => entry.isFile()).map((entry) => entry.name);
    const ignoreRules = folder.ignoreRules.enter(folder.path, new Set(names));
    for (const entry of entries ?? []) {
      const path = folder.path + entry.name;
      const isFolder = entry.isDirectory();
      if (isFolder && NEVER_WALKED.has(entry.name)) continue;
      const rule = ignoreRules.ruleFor(path, isFolder);
      // The caller's own rules have no text, because the caller knows what it excludes.
      if (rule === "" || path === registryDirectory) continue;
      if (rule !== undefined)
        tree.skipped.push({ path: isFolder ? `${path}/` : path, reason: "ignored", rule });
      else if (isFolder) pending.push({ path: `${path}/`, ignoreRules });
      else if (included?.(path) !== false && (entry.isFile() || entry.isSymbolicLink()))
        takeFile(root, path, tree);
    }
    await pacer.step(tree.files.length);
  }
  tree.files.sort((a, b) => compareCodeUnits(a.path, b.path));
  tree.skipped.sort((a, b) => compareCodeUnits(a.path, b.path));
  return tree;
}

/** Creates a glob matcher. Loads the library lazily, because few scans need it. */
async function pathMatcher(globs: readonly string[]): Promise<(path: string) => boolean> {
  const { default: picomatch } = await import("picomatch");
  return picomatch([...globs], { dot: true });
}

interface PendingFolder {
  /** Empty for the root. Otherwise ends with a slash. */
  path: string;
  ignoreRules: IgnoreRules;
}

function listFolder(root: string, path: string): Dirent[] | undefined {
  try {
    return readdirSync(join(root, path), { withFileTypes: true });
  } catch (error) {
    if (path === "") throw toIoError(error, `read the folder ${root}`);
    return undefined;
  }
}

function takeFile(root: string, path: string, tree: FileTree): void {
  const realPath = join(root, path);
  const stats = lstatSync(realPath, { throwIfNoEntry: false });
  // On other systems, a name with a backslash or a drive's colon refers to a different file. A name
  // that is not UTF-8 cannot be opened.
  const isReadable = stats !== undefined && normalizeInsidePath(path) === path;
  if (!isReadable) tree.skipped.push({ path, reason: "unreadable" });
  else if (stats.isSymbolicLink()) reportLink(root, path, tree);
  else if (stats.size > MAX_FILE_BYTES) tree.skipped.push({ path, reason: "too_large" });
  else tree.files.push({ path, realPath, stamp: stampOf(stats) });
}

function reportLink(root: string, path: string, tree: FileTree): void {
  const found = locateFile(root, path);
  if (found === "outside_root") tree.skipped.push({ path, reason: "outside_root" });
  if (found === "missing" || found === "unreadable")
    tree.skipped.push({ path, reason: "unreadable" });
}
