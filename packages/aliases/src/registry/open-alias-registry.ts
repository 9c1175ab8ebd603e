import { existsSync, mkdirSync, realpathSync, statSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { failure, success, type Issue, type Result, compareCodeUnits } from "@ccl/core";
import { throwIfAborted, TurnQueue } from "@ccl/core/async";
import { callListener } from "@ccl/core/events";
import { isSameJson } from "@ccl/core/json";
import { writeFileDurable } from "@ccl/core/node";
import { hash } from "node:crypto";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { AliasesError } from "../aliases-error.ts";
import type {
  AliasEntry,
  AliasRegistry,
  OpenAliasRegistryOptions,
  AliasStat,
} from "./alias-registry.ts";
import { aliasKey, parseAlias, quote } from "./alias-name.ts";
import { createDerivedCache } from "./derived-cache.ts";
import { hashFile } from "./file-hasher.ts";
import { toIoError } from "./io-error.ts";
import { createPacer, type Pacer } from "./pacer.ts";
import { isInside, locateFile, type NoFile, type TreeFile } from "./locate-file.ts";
import { findFile, readAlias } from "./read-alias.ts";
import { changeRecord, normalizeInsidePath, type RegistryRecord } from "./registry-file.ts";
import { openRegistryStore, OWN_DIRECTORY, type RegistryRecords } from "./registry-store.ts";
import { scanTree, type TreeContext } from "./scan-tree.ts";
import { createFileHasher, type FileHasher } from "./cached-file-hasher.ts";

/**
 * Opens a project's registry. If the folder has none, the registry is empty, and nothing is written
 * before the first change.
 * @throws AliasesError `registry_corrupt`, `registry_version_unsupported`, `io_failed`
 */
export async function openAliasRegistry(options: OpenAliasRegistryOptions): Promise<AliasRegistry> {
  const { persist: isPersistent = true } = options;
  const root = realFolder(options.root);
  const directory = directoryInside(root, options.directory ?? OWN_DIRECTORY);
  const isOwn = basename(directory) === OWN_DIRECTORY;
  const store = openRegistryStore({ directory: join(root, directory), isPersistent });
  const cacheFolder = join(root, directory, "cache");
  const cache = createDerivedCache({
    directory: cacheFolder,
    writerId: codeId,
    liveHashes: () => [...store.records.values()].flatMap(({ sha256 = [] }) => sha256),
    async write(file, bytes) {
      if (!isPersistent || !store.hasFile) return;
      // A folder that belongs to another program gets no cache, because its users might commit it.
      if (isOwn || existsSync(cacheFolder)) await writeCacheFile(root, file, bytes);
    },
  });
  const hash = createFileHasher(cache);
  // Changes run one at a time, so that each starts from the previous one's result.
  const turns = new TurnQueue(AliasesError);
  const contextWith = (pacer: Pacer): TreeContext => {
    return { root, registryDirectory: directory, records: store.records, hash, pacer };
  };
  const list = (): AliasEntry[] =>
    [...store.records]
      .sort(([a], [b]) => compareCodeUnits(a, b))
      .map(([alias, record]) => entryOf(alias, record));

  return {
    root,
    directory,
    isPersistent,
    cache,
    list,
    add: (alias, path, { signal } = {}) =>
      turns.run(async () => {
        const old = store.records.get(alias);
        const found = hashForAdding(root, path);
        const [first, ...rest] = [
          ...aliasIssues(alias, store.records),
          ...(found.ok ? [] : found.issues),
        ];
        if (first !== undefined) return failure(first, ...rest);
        if (!found.ok) return found;
        const record = changeRecord(old, found.value);
        if (isOwn) record.fields["added"] = true;
        if (!isSameJson(record.fields, old?.fields))
          await store.replace(new Map(store.records).set(alias, record), signal);
        return success(entryOf(alias, record));
      }, signal),
    remove: (alias) =>
      turns.run(async () => {
        const records = new Map(store.records);
        if (!records.delete(alias)) return false;
        await store.replace(records, undefined);
        return true;
      }),
    async resolve(alias, { signal } = {}) {
      throwIfAborted(signal, AliasesError);
      return readAlias(root, store.records, alias);
    },
    async stat(options = {}) {
      const stats = await statRecords(contextWith(createPacer(options)));
      await cache.flush();
      return stats;
    },
    async verify(options = {}) {
      const { checks } = await scanTree(contextWith(createPacer(options)), {});
      await cache.flush();
      return { checks, isClean: checks.every(({ status }) => status === "ok") };
    },
    scan: (rules = {}) =>
      turns.run(async () => {
        const { signal, onEvent } = rules;
        const pacer = createPacer({
          signal,
          onProgress: (done, total) =>
            callListener(
              onEvent,
              total === undefined
                ? { type: "files_found", done }
                : { type: "files_hashed", done, total },
            ),
        });
        const { records, report } = await scanTree(contextWith(pacer), rules);
        const { added, updated, moved, removed } = report;
        if ([added, updated, moved, removed].some(({ length }) => length > 0))
          await store.replace(records, signal);
        await cache.flush();
        return { entries: list(), ...report };
      }),
    close: () => turns.run(() => cache.flush()),
  };
}

function hashForAdding(root: string, path: string): Result<{ path: string; sha256: string }> {
  const inside = normalizeInsidePath(path);
  if (inside === undefined) {
    const message = `${quote(path)} is not a path inside the root. Give one relative to the root, without "..".`;
    return failure({ code: "path_outside_root", path: ["path"], message });
  }
  const file = findFile(root, inside);
  if (!file.ok) return file;
  try {
    return success({ path: inside, sha256: hashFile(file.value.realPath).sha256 });
  } catch (error) {
    throw toIoError(error, `read ${inside}`);
  }
}

/** Writes a cache file. Ignores failures, because a cache only saves time. */
async function writeCacheFile(root: string, file: string, bytes: Uint8Array): Promise<void> {
  try {
    const folder = dirname(file);
    mkdirSync(folder, { recursive: true });
    if (!isInside(root, realpathSync.native(folder))) return;
    await writeFileDurable(file, bytes, { durability: "off" });
  } catch {
    // Writing fails on read-only checkouts and full disks.
  }
}

function realFolder(root: string): string {
  try {
    const real = realpathSync.native(root);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw toIoError(error, `open the root ${root}`);
  }
  throw new AliasesError("io_failed", `The root ${root} is not a folder.`);
}

/**
 * Returns the directory relative to the root.
 * @throws AliasesError `io_failed` if the folder is not inside the root or a link leads outside it
 */
function directoryInside(root: string, directory: string): string {
  const inside = normalizeInsidePath(directory.replace(/[\\/]+$/, ""));
  const folder = join(root, inside ?? "");
  const real = existsSync(folder) ? realpathSync.native(folder) : folder;
  if (inside !== undefined && isInside(root, real)) return inside;
  throw new AliasesError(
    "io_failed",
    `The registry's folder ${quote(directory)} is not inside the root ${root}.`,
  );
}

function aliasIssues(alias: string, records: RegistryRecords): Issue[] {
  const parsed = parseAlias(alias);
  if (!parsed.ok) return parsed.issues;
  if (parsed.value.sha8 !== undefined) {
    const message = `${quote(alias)} is a reference. Give the alias without @${parsed.value.sha8}.`;
    return [{ code: "alias_invalid", path: ["alias"], message }];
  }
  if (records.has(alias)) return [];
  const key = aliasKey(alias);
  const twin = [...records.keys()].find((other) => aliasKey(other) === key);
  if (twin === undefined) return [];
  const message = `${alias} differs from ${twin} only in case. Choose another name, or remove ${twin} first.`;
  return [{ code: "alias_taken", path: ["alias"], message }];
}

function entryOf(alias: string, { path, sha8, sha256 }: RegistryRecord): AliasEntry {
  return sha256 === undefined ? { alias, path, sha8 } : { alias, path, sha8, sha256 };
}

/** Returns the current content hash of every named file. */
async function statRecords({ root, records, hash, pacer }: TreeContext): Promise<AliasStat[]> {
  const sorted = [...records].sort(([a], [b]) => compareCodeUnits(a, b));
  const stats: AliasStat[] = [];
  for (const [alias, { path }] of sorted) {
    stats.push({ alias, path, ...hashOf(locateFile(root, path), hash) });
    await pacer.step(stats.length, sorted.length);
  }
  return stats;
}

function hashOf(file: TreeFile | NoFile, hash: FileHasher): Pick<AliasStat, "sha256" | "isBinary"> {
  if (typeof file === "string") return { isBinary: false };
  try {
    return hash(file);
  } catch {
    return { isBinary: false };
  }
}

const require = createRequire(import.meta.url);

/** Libraries whose code affects derived values, in addition to this package and the parsers. */
const LIBRARIES = ["@ccl/core", "@ccl/search", "diff/package.json"];

let known: string | undefined;

/**
 * Returns 64 hex digits that change whenever the code may derive different values from the same
 * content. For unbuilt sources, the id is valid only within one process.
 */
export function codeId(): string {
  known ??= import.meta.url.endsWith(".ts")
    ? hash("sha256", `${process.pid} ${performance.timeOrigin}`)
    : hashCode();
  return known;
}

function hashCode(): string {
  const modulePath = fileURLToPath(import.meta.url);
  const grammars = join(dirname(modulePath), "wasm", "package.json");
  const files = [modulePath, ...[grammars, ...LIBRARIES].flatMap((name) => placeOf(name))];
  return hash("sha256", files.map((file) => hash("sha256", readFileSync(file))).join(" "));
}

/** Returns the path of a library, or an empty list if a bundle includes the library or lacks the parsers. */
function placeOf(name: string): string[] {
  try {
    return [require.resolve(name)];
  } catch {
    return [];
  }
}
