import { compareCodeUnits } from "@ccl/core";
import type { AliasCheck, VerifyReport } from "./alias-registry.ts";
import { walkTree } from "./file-tree.ts";
import { createLocator, type TreeFile } from "./locate-file.ts";
import { matchMoves, type MoveTarget } from "./match-moves.ts";
import type { Pacer } from "./pacer.ts";
import { compareRecord } from "./record-state.ts";
import type { RegistryRecord } from "./registry-file.ts";
import type { RegistryRecords } from "./registry-store.ts";
import type { StatCache } from "./stat-cache.ts";

/** The tree and the records to check. */
export interface TreeContext {
  /** Absolute, with links resolved. */
  root: string;
  /** Relative to the root, with forward slashes. */
  registryDirectory: string;
  records: RegistryRecords;
  cache: StatCache;
  pacer: Pacer;
}

/** Compares every record with the disk, and looks for missing files among the unnamed ones. */
export async function verifyRecords(context: TreeContext): Promise<VerifyReport> {
  const checks: AliasCheck[] = [];
  const locate = createLocator(context.root);
  const hashOf = (file: TreeFile): string => context.cache.hash(file).sha256;
  const missing: [string, RegistryRecord][] = [];
  const sorted = [...context.records].sort(([a], [b]) => compareCodeUnits(a, b));
  for (const [alias, record] of sorted) {
    const { path, sha8 } = record;
    const state = compareRecord(record, locate(path), hashOf);
    const status = state.status === "unreachable" ? "missing" : state.status;
    const check = { alias, path, sha8, status };
    if (state.status === "missing") missing.push([alias, record]);
    checks.push(
      state.status === "changed" ? { ...check, currentSha8: state.sha256.slice(0, 8) } : check,
    );
    await context.pacer.step(checks.length, sorted.length);
  }
  const moves = missing.length === 0 ? undefined : matchMoves(missing, await unnamedFiles(context));
  const settled = checks.map((check) => withMove(check, moves?.get(check.alias)));
  return { checks: settled, isClean: settled.every(({ status }) => status === "ok") };
}

function withMove(check: AliasCheck, target: MoveTarget | undefined): AliasCheck {
  return target === undefined ? check : { ...check, status: "moved", movedTo: target.path };
}

async function unnamedFiles({
  root,
  registryDirectory,
  records,
  cache,
  pacer,
}: TreeContext): Promise<MoveTarget[]> {
  const named = new Set([...records.values()].map(({ path }) => path));
  const tree = await walkTree({ root, registryDirectory, rules: {}, pacer });
  const targets: MoveTarget[] = [];
  for (const file of tree.files) {
    const sha256 = named.has(file.path) ? undefined : tryHash(file, cache);
    if (sha256 !== undefined) targets.push({ path: file.path, sha256 });
    await pacer.step(targets.length);
  }
  return targets;
}

function tryHash(file: TreeFile, cache: StatCache): string | undefined {
  try {
    return cache.hash(file).sha256;
  } catch {
    return undefined;
  }
}
