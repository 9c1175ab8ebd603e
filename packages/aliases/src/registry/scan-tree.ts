import { compareCodeUnits } from "@ccl/core";
import { callListener } from "@ccl/core/events";
import { basename } from "node:path";

import type { AliasCheck, ScanReport, ScanRules } from "./alias-registry.ts";
import { nameFiles, type UnnamedFile } from "./alias-from-path.ts";
import { aliasKey } from "./alias-name.ts";
import { classifyPath } from "./classify-path.ts";
import { walkTree, type FileTree } from "./file-tree.ts";
import { createLocator, type TreeFile } from "./locate-file.ts";
import { matchMoves } from "./match-moves.ts";
import { compareRecord, type RecordState } from "./record-state.ts";
import { changeRecord, type RegistryRecord } from "./registry-file.ts";
import { OWN_DIRECTORY } from "./registry-store.ts";
import type { FileHasher } from "./cached-file-hasher.ts";
import type { Pacer } from "./pacer.ts";
import type { RegistryRecords } from "./registry-store.ts";

/** The tree and the records to check. */
export interface TreeContext {
  /** Absolute, with links resolved. */
  root: string;
  /** Relative to the root, with forward slashes. */
  registryDirectory: string;
  records: RegistryRecords;
  hash: FileHasher;
  pacer: Pacer;
}

/** The records after a scan, with its report, and the earlier records compared with the disk. */
export interface ScanOutcome {
  records: Map<string, RegistryRecord>;
  checks: AliasCheck[];
  report: Omit<ScanReport, "entries">;
}

interface HashedFile extends TreeFile {
  sha256: string;
}

/**
 * Updates the records to match the tree, and names unnamed files.
 * @throws AliasesError `aborted`
 */
export async function scanTree(context: TreeContext, rules: ScanRules): Promise<ScanOutcome> {
  const tree = await walkTree({ ...context, rules });
  const named = new Set([...context.records.values()].map(({ path }) => path));
  callListener(rules.onEvent, { type: "files_found", done: tree.files.length });
  const files = await hashTree(context, tree, named);
  callListener(rules.onEvent, { type: "files_hashed", done: files.length, total: files.length });

  const states = await compareAll(context, files, tree.skipped);
  const missing = [...states].filter(([, { state }]) => state.status === "missing");
  const unnamed = files.filter(({ path }) => !named.has(path));
  const moves = matchMoves(
    missing.map(([alias, { record }]) => [alias, record] as const),
    unnamed,
  );

  const records = new Map<string, RegistryRecord>();
  const checks: AliasCheck[] = [];
  const report: ScanOutcome["report"] = {
    added: [],
    updated: [],
    moved: [],
    removed: [],
    skipped: tree.skipped,
  };
  for (const [alias, { record, state }] of states) {
    const target = moves.get(alias);
    if (target !== undefined) report.moved.push(alias);
    else if (state.status === "changed") report.updated.push(alias);
    else if (state.status === "missing") report.removed.push(alias);
    checks.push(checkOf(alias, { record, state }, target));
    const next = nextRecord(record, state, target);
    if (next !== undefined) records.set(alias, next);
  }
  const movedTo = new Set(moves.values());
  const fresh = unnamed.filter((file) => !movedTo.has(file));
  report.added = addNames(fresh, records);
  return { records, checks, report };
}

/**
 * Hashes the files in the order of the tree. Binary files without an alias are skipped and
 * reported.
 */
async function hashTree(
  context: TreeContext,
  tree: FileTree,
  named: ReadonlySet<string>,
): Promise<HashedFile[]> {
  const files: HashedFile[] = [];
  for (const file of tree.files) {
    try {
      const { sha256, isBinary } = context.hash(file);
      if (isBinary && !named.has(file.path))
        tree.skipped.push({ path: file.path, reason: "binary" });
      else files.push({ ...file, sha256 });
    } catch {
      tree.skipped.push({ path: file.path, reason: "unreadable" });
    }
    await context.pacer.step(files.length, tree.files.length);
  }
  tree.skipped.sort((a, b) => compareCodeUnits(a.path, b.path));
  return files;
}

interface ComparedRecord {
  record: RegistryRecord;
  state: RecordState;
}

/**
 * Compares all records, ordered by alias. Files outside the tree are looked up one by one. A file
 * that an ignore file excludes counts as gone, unless `add` named it or the names belong to another
 * program.
 */
async function compareAll(
  { records, root, registryDirectory, hash, pacer }: TreeContext,
  files: readonly HashedFile[],
  skipped: ScanReport["skipped"],
): Promise<Map<string, ComparedRecord>> {
  const isOwn = basename(registryDirectory) === OWN_DIRECTORY;
  const ignored = skipped.filter(({ reason }) => isOwn && reason === "ignored");
  const locate = createLocator(root);
  const byPath = new Map(files.map((file) => [file.path, file]));
  const hashOf = (file: TreeFile): string => byPath.get(file.path)?.sha256 ?? hash(file).sha256;
  const sorted = [...records].sort(([a], [b]) => compareCodeUnits(a, b));
  const compared = new Map<string, ComparedRecord>();
  for (const [alias, record] of sorted) {
    const { path, fields } = record;
    const file =
      byPath.get(path) ??
      (fields["added"] !== true &&
      ignored.some((left) => `${path}/`.startsWith(left.path.replace(/\/?$/, "/")))
        ? "missing"
        : locate(path));
    const state = compareRecord(record, file, hashOf);
    compared.set(alias, { record, state });
    await pacer.step(files.length, files.length);
  }
  return compared;
}

function checkOf(
  alias: string,
  { record, state }: ComparedRecord,
  target: HashedFile | undefined,
): AliasCheck {
  const { path, sha8 } = record;
  const check = { alias, path, sha8 };
  if (target !== undefined) return { ...check, status: "moved", movedTo: target.path };
  if (state.status === "changed")
    return { ...check, status: "changed", currentSha8: state.sha256.slice(0, 8) };
  return { ...check, status: state.status === "ok" ? "ok" : "missing" };
}

/** The updated record of an alias. Undefined if its file is gone. */
function nextRecord(
  record: RegistryRecord,
  state: RecordState,
  target: HashedFile | undefined,
): RegistryRecord | undefined {
  if (target !== undefined) return changeRecord(record, target);
  if (state.status === "changed")
    return changeRecord(record, { path: record.path, sha256: state.sha256 });
  return state.status === "missing" ? undefined : record;
}

/** Adds a record for each file and returns the new aliases in order. */
function addNames(files: HashedFile[], records: Map<string, RegistryRecord>): string[] {
  const unnamed: UnnamedFile[] = files.map(({ path }) => ({ path, prefix: classifyPath(path) }));
  const names = nameFiles(
    unnamed,
    [...records.keys()].map((alias) => aliasKey(alias)),
  );
  const added: string[] = [];
  for (const file of files) {
    const alias = names.get(file.path);
    if (alias === undefined) continue;
    records.set(alias, changeRecord(undefined, file));
    added.push(alias);
  }
  return added.sort(compareCodeUnits);
}
