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

/** The folder whose names are ours to keep up to date; any other belongs to another program. */
const OWN_DIRECTORY = ".ccl";

/**
 * Brings the registry up to date with the disk, so that files made since the last scan are part of what follows. In
 * another program's folder it changes nothing. Returns the number of files that have no alias.
 */
export async function nameNewFiles(session: Session, registry: AliasRegistry): Promise<number> {
  if (session.directory === OWN_DIRECTORY) {
    await scanWithProgress(registry, session);
    return 0;
  }
  const { added, moved } = await withScan(session, {}, async (_, report) => report);
  return added.length + moved.length;
}

/** A line that counts files without an alias; empty if there are none. */
export function describeUnnamed(count: number): string {
  if (count === 0) return "";
  return `${formatCount(count, "file")} without an alias; "ccl alias scan" names them\n`;
}

/** Paths that the rules select; undefined if there are no rules. */
export async function matchedPaths(
  session: Session,
  rules: Pick<ScanRules, "include" | "ignore">,
): Promise<ReadonlySet<string> | undefined> {
  if (rules.include === undefined && rules.ignore === undefined) return undefined;
  return await withFreshScan(
    session,
    rules,
    async (_, { entries }) => new Set(entries.map((entry) => entry.path)),
  );
}

/** Runs `work` on a scan that knows none of the project's names, so that it lists just what the rules leave. */
export async function withFreshScan<T>(
  session: Session,
  rules: Pick<ScanRules, "include" | "ignore">,
  work: (registry: AliasRegistry, scan: ScanReport) => Promise<T>,
): Promise<T> {
  return await withScan({ ...session, directory: join(session.directory, "none") }, rules, work);
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
