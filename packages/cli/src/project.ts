import { stat } from "node:fs/promises";
import { join } from "node:path";

import {
  openAliasRegistry,
  type AliasRegistry,
  type ScanReport,
  type ScanRules,
} from "@ccl/aliases";

import { CliError } from "./cli-error.ts";
import { formatCount } from "./output/format-number.ts";
import type { Session } from "./session.ts";

/** True when the folder of context files has a registry. */
export async function hasRegistry(session: Session): Promise<boolean> {
  const found = await stat(join(session.root, session.directory, "aliases.json")).catch(
    () => undefined,
  );
  return found !== undefined;
}

/** Runs `work` on the project's aliases; fails where there is no project. */
export async function withProject<T>(
  session: Session,
  options: { persist: boolean },
  work: (registry: AliasRegistry) => Promise<T>,
): Promise<T> {
  if (!(await hasRegistry(session))) {
    const place = join(session.root, session.directory);
    throw new CliError("not_initialized", `No aliases in ${place}. Run "ccl init" first.`);
  }
  return await using(session, options.persist, work);
}

/** Runs `work` on the project's aliases or, where there are none, on a scan that stays in memory. Writes nothing. */
export async function withProjectOrScan<T>(
  session: Session,
  work: (registry: AliasRegistry) => Promise<T>,
): Promise<T> {
  return await ((await hasRegistry(session))
    ? using(session, false, work)
    : withScan(session, {}, work));
}

/** Runs `work` on names given in memory by a scan; the project's own names stay. Writes nothing. */
export async function withScan<T>(
  session: Session,
  rules: Pick<ScanRules, "include" | "ignore">,
  work: (registry: AliasRegistry, scan: ScanReport) => Promise<T>,
): Promise<T> {
  return await using(session, false, async (registry) =>
    work(registry, await scanWithProgress(registry, session, rules)),
  );
}

/** How a project's aliases compare with the files that a scan finds now. */
export interface TreeComparison {
  /** Paths that the rules leave; undefined where there are no rules. */
  matched: ReadonlySet<string> | undefined;
  /** How many of the files have no alias at their path. */
  unnamed: number;
}

/** Looks over the tree without changing a name. */
export async function compareWithTree(
  session: Session,
  rules: Pick<ScanRules, "include" | "ignore">,
): Promise<TreeComparison> {
  if (rules.include === undefined && rules.ignore === undefined) {
    const { added, moved } = await withScan(session, {}, async (_, report) => report);
    return { matched: undefined, unnamed: added.length + moved.length };
  }
  const named = await using(
    session,
    false,
    async (registry) => new Set(registry.list().map((entry) => entry.path)),
  );
  // A folder that has no registry starts from nothing, so that the scan lists just what the rules leave.
  const blank = { ...session, directory: join(session.directory, "none") };
  const matched = await withScan(
    blank,
    rules,
    async (_, { entries }) => new Set(entries.map((entry) => entry.path)),
  );
  return { matched, unnamed: [...matched].filter((path) => !named.has(path)).length };
}

/** Scans and says on a terminal how far it has come. */
export async function scanWithProgress(
  registry: AliasRegistry,
  session: Session,
  rules: Pick<ScanRules, "include" | "ignore"> = {},
): Promise<ScanReport> {
  const { signal, progress } = session;
  const report = await registry.scan({
    ...rules,
    signal,
    onEvent: (event) =>
      progress.update(
        event.type === "files_found" ? "Finding files" : "Reading files",
        event.done,
        event.total,
      ),
  });
  progress.clear();
  return report;
}

/** The skipped files of a scan in words, or undefined when there are none. */
export function describeSkipped(report: ScanReport): string | undefined {
  const counts = new Map<string, number>();
  for (const { reason } of report.skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  if (counts.size === 0) return undefined;
  const reasons = [...counts]
    .map(([reason, count]) => `${count} ${reason.replaceAll("_", " ")}`)
    .join(", ");
  return `${formatCount(report.skipped.length, "file")} left out: ${reasons}`;
}

async function using<T>(
  session: Session,
  persist: boolean,
  work: (registry: AliasRegistry) => Promise<T>,
): Promise<T> {
  const registry = await openAliasRegistry({
    root: session.root,
    directory: session.directory,
    persist,
  });
  try {
    return await work(registry);
  } finally {
    await registry.close();
  }
}
