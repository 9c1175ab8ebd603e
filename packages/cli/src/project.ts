import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";

import {
  type AliasContent,
  type AliasRegistry,
  openAliasRegistry,
  type ScanReport,
  type ScanRules,
} from "@ccl/aliases";
import type { Issue } from "@ccl/core";
import { parseJson } from "@ccl/core/json";
import { writeFileDurable } from "@ccl/core/node";

import { CliError, inputError, requireValid, usageError } from "./cli-error.ts";
import { formatCount } from "./output/text.ts";
import type { Session } from "./session.ts";

/** Files that a scan found but could not include, and why. */
export type SkippedFiles = ScanReport["skipped"];

/** Flags that select files. */
type FileRules = Pick<ScanRules, "include" | "ignore">;

/** True if the folder of context files has a registry. */
export function hasRegistry({ root, directory }: Session): boolean {
  return existsSync(join(root, directory, "aliases.json"));
}

/** Runs `work` on the project's aliases. Fails without a project. Writes only if asked to persist. */
export async function withProject<T>(
  session: Session,
  persist: boolean,
  work: (registry: AliasRegistry) => Promise<T>,
): Promise<T> {
  if (!hasRegistry(session)) {
    const place = join(session.root, session.directory);
    throw new CliError("not_initialized", `No aliases in ${place}. Run "ccl init" first.`);
  }
  return withRegistry(session, persist, work);
}

/** The files that a command works on. */
export interface ProjectFiles {
  /** The aliases that the rules select. */
  registry: AliasRegistry;
  all: AliasRegistry;
  skipped: SkippedFiles;
  /** Number of files of another program's folder that have no alias. */
  unnamed: number;
}

/**
 * Runs `work` on the files that the rules select, by the project's aliases or by names in memory if there are none. New
 * files get names too. Writes only if asked to persist.
 */
export async function withFiles<T>(
  session: Session,
  { persist = false, ...rules }: FileRules & { persist?: boolean },
  work: (files: ProjectFiles) => Promise<T>,
): Promise<T> {
  if (!hasRegistry(session))
    return withScan(session, rules, (registry, { skipped }) =>
      work({ registry, all: registry, skipped, unnamed: 0 }),
    );
  const selected = await selectFiles(session, rules);
  return withRegistry(session, persist, async (all) => {
    const { unnamed, skipped } = await nameNewFiles(session, all);
    const registry = narrowRegistry(all, selected?.paths);
    return work({ registry, all, skipped: selected?.skipped ?? skipped, unnamed });
  });
}

/** Runs `work` on names from a scan in memory, keeping the project's names. Writes nothing. */
export function withScan<T>(
  session: Session,
  rules: FileRules,
  work: (registry: AliasRegistry, scan: ScanReport) => Promise<T>,
): Promise<T> {
  return withRegistry(session, false, async (registry) =>
    work(registry, await scanWithProgress(registry, session, rules)),
  );
}

/** The folder whose aliases ccl updates. Any other folder belongs to another program. */
const OWN_DIRECTORY = ".ccl";

/**
 * Updates the registry from the disk, so that the command sees new files. Does not change another program's folder.
 * `unnamed` counts files there that have no alias.
 */
export async function nameNewFiles(
  session: Session,
  registry: AliasRegistry,
): Promise<{ unnamed: number; skipped: SkippedFiles }> {
  if (session.directory === OWN_DIRECTORY) {
    const { skipped } = await scanWithProgress(registry, session);
    return { unnamed: 0, skipped };
  }
  const { added, moved, skipped } = await withScan(session, {}, async (_, report) => report);
  return { unnamed: added.length + moved.length, skipped };
}

/** Writes a line that counts files without an alias. Empty if there are none. */
export function describeUnnamed(count: number): string {
  if (count === 0) return "";
  return `${formatCount(count, "file")} without an alias; "ccl alias scan" names them\n`;
}

/** Finds the files that the rules select, and those that could not be included. Undefined without rules. */
async function selectFiles(
  session: Session,
  rules: FileRules,
): Promise<{ paths: ReadonlySet<string>; skipped: SkippedFiles } | undefined> {
  if (rules.include === undefined && rules.ignore === undefined) return undefined;
  return withFreshScan(session, rules, async (_, { entries, skipped }) => ({
    paths: new Set(entries.map((entry) => entry.path)),
    skipped,
  }));
}

/** Throws if there are no files, since an empty answer would look like an empty project. */
export function requireFiles(
  registry: AliasRegistry,
  { include = [], ignore = [] }: FileRules,
  skipped: SkippedFiles,
): void {
  if (registry.list().length > 0) return;
  const rules = [...include, ...ignore].join(", ");
  const why = rules === "" ? "" : ` with the rules ${rules}; "src/**" matches all below src`;
  const left = countReasons(skipped) || "none";
  throw usageError(`No file in ${registry.root} can be packed${why} (left out: ${left}).`);
}

/** Runs `work` on a scan without the project's names, so that it lists only what the rules select. */
export function withFreshScan<T>(
  session: Session,
  rules: FileRules,
  work: (registry: AliasRegistry, scan: ScanReport) => Promise<T>,
): Promise<T> {
  return withScan({ ...session, directory: join(session.directory, "none") }, rules, work);
}

/** Scans, and shows progress on a terminal. */
export async function scanWithProgress(
  registry: AliasRegistry,
  session: Session,
  rules: FileRules = {},
): Promise<ScanReport> {
  const { signal, progress } = session;
  const own = (await packFiles(session)).map(ignorePattern);
  const report = await registry.scan({
    ...rules,
    ignore: [...(rules.ignore ?? []), ...own],
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

/** Returns the packs that earlier commands wrote into the project. They are not part of it. */
export async function packFiles(session: Session): Promise<string[]> {
  const kept = parseJson(await readFile(packFilesPlace(session), "utf8").catch(() => ""));
  return Array.isArray(kept) ? kept.filter((path) => typeof path === "string") : [];
}

/** Records packs that were written, with absolute paths. */
export async function keepPackFiles(session: Session, written: readonly string[]): Promise<void> {
  const known = await packFiles(session);
  const paths = written.flatMap((path) => pathInRoot(session, path) ?? []);
  const all = [...new Set([...known, ...paths])];
  if (all.length > known.length)
    await writeFileDurable(packFilesPlace(session), `${JSON.stringify(all)}\n`);
}

function packFilesPlace({ root, directory }: Session): string {
  return join(root, directory, "cache", "packs.json");
}

/** Returns an absolute path relative to the root, with forward slashes. Undefined if it is not inside. */
export function pathInRoot({ root }: Session, path: string): string | undefined {
  const inside = relative(root, path).split(sep).join("/");
  return inside === "" || inside.startsWith("../") || isAbsolute(inside) ? undefined : inside;
}

/** Returns the .gitignore pattern of one path. */
export function ignorePattern(path: string): string {
  return `/${path.replace(/[\\*?[\]!# ]/g, String.raw`\$&`)}`;
}

/** Describes the files that a scan skipped. Empty if there are none. */
export function describeSkipped({ skipped }: Pick<ScanReport, "skipped">): string {
  return skipped.length === 0
    ? ""
    : `${formatCount(skipped.length, "file")} left out: ${countReasons(skipped)}`;
}

/** Counts files by reason: `103 budget, 2 too large`. */
export function countReasons(files: readonly { reason: string }[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of files) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} ${reason.replaceAll("_", " ")}`).join(", ");
}

/** Runs `work` on a new or existing registry, then closes it. Writes only if asked to persist. */
export async function withRegistry<T>(
  { root, directory }: Session,
  persist: boolean,
  work: (registry: AliasRegistry) => Promise<T>,
): Promise<T> {
  const registry = await openAliasRegistry({ root, directory, persist });
  try {
    return await work(registry);
  } finally {
    await registry.close();
  }
}

/** Reads the file of an alias that the user typed. The error suggests the nearest aliases. */
export async function resolveAlias(
  registry: AliasRegistry,
  alias: string,
  session: Session,
): Promise<AliasContent> {
  return requireValid(await registry.resolve(alias, session));
}

/** Creates a view of the registry with fewer aliases. */
export function narrowRegistry(
  registry: AliasRegistry,
  paths: ReadonlySet<string> | undefined,
): AliasRegistry {
  if (paths === undefined) return registry;
  return {
    ...registry,
    list: () => registry.list().filter((entry) => paths.has(entry.path)),
    stat: async (options) => (await registry.stat(options)).filter((file) => paths.has(file.path)),
  };
}

/** Resolves the user's aliases, files and folders (with all their files) to aliases. */
export function findFocus(
  registry: AliasRegistry,
  names: string[],
  { flag = "--focus ", skipped = [] }: { flag?: string; skipped?: SkippedFiles } = {},
): string[] {
  const entries = registry.list();
  const issues: Issue[] = [];
  const found = names.flatMap((name, index) => {
    const path = relative(registry.root, resolve(registry.root, name)).replaceAll("\\", "/");
    const matches = entries.filter(
      (entry) =>
        entry.alias === name ||
        entry.path === path ||
        entry.path.startsWith(`${path}/`) ||
        path === "",
    );
    if (matches.length > 0) return matches.map((entry) => entry.alias);
    const near = entries.find((entry) => entry.path.toLowerCase().endsWith(path.toLowerCase()));
    const hint = near === undefined ? '"ccl pack" shows both.' : `Did you mean ${near.path}?`;
    const left = skipped.find(
      (file) => file.path === path || (file.path.endsWith("/") && path.startsWith(file.path)),
    );
    const reason =
      left === undefined
        ? "by --include, --ignore or the settings, or as a part of node_modules or .git"
        : `${left.reason}${left.rule === undefined ? "" : ` (${left.rule})`}`;
    const message = existsSync(resolve(registry.root, path))
      ? `${flag}${name} is in no pack. It is left out: ${reason}.`
      : `${flag}${name} is neither an alias nor a file that has one. ${hint}`;
    issues.push({ code: "focus_unknown", path: ["focus", index], message });
    return [];
  });
  if (issues.length > 0) throw inputError(issues);
  return [...new Set(found)];
}
