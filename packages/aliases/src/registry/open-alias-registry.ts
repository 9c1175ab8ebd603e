import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";

import { failure, success, type Issue, type Result, compareCodeUnits } from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";
import { callListener } from "@ccl/core/events";
import { writeFileDurable } from "@ccl/core/node";

import { AliasesError } from "../aliases-error.ts";
import type {
  AliasEntry,
  AliasRegistry,
  DerivedCache,
  OpenAliasRegistryOptions,
  ScanReport,
  ScanRules,
} from "./alias-registry.ts";
import { aliasKey, parseAlias, quote } from "./alias-name.ts";
import { codeId } from "./code-id.ts";
import { createDerivedCache } from "./derived-cache.ts";
import { hashFile } from "./file-hasher.ts";
import { toIoError } from "./io-error.ts";
import { createPacer, type Pacer } from "./pacer.ts";
import { isInside } from "./locate-file.ts";
import { findFile, readAlias } from "./read-alias.ts";
import { changeRecord, normalizeInsidePath, type RegistryRecord } from "./registry-file.ts";
import {
  openRegistryStore,
  OWN_DIRECTORY,
  type RegistryRecords,
  type RegistryStore,
} from "./registry-store.ts";
import { scanTree, type TreeContext } from "./scan-tree.ts";
import { statRecords } from "./stat-records.ts";
import { createFileHasher, type FileHasher } from "./cached-file-hasher.ts";

/**
 * Opens the registry of a project. A folder without one opens as an empty registry, and nothing is
 * written before the first change.
 * @throws AliasesError `registry_corrupt`, `registry_version_unsupported`, `io_failed`
 */
export async function openAliasRegistry(options: OpenAliasRegistryOptions): Promise<AliasRegistry> {
  const { persist = true } = options;
  const root = realFolder(options.root);
  const directory = directoryInside(root, options.directory ?? OWN_DIRECTORY);
  const store = openRegistryStore({ directory: join(root, directory), isPersistent: persist });
  return new FileAliasRegistry({ root, directory, isPersistent: persist, store });
}

interface RegistryParts {
  root: string;
  directory: string;
  isPersistent: boolean;
  store: RegistryStore;
}

class FileAliasRegistry implements AliasRegistry {
  readonly root: string;
  readonly directory: string;
  readonly isPersistent: boolean;
  readonly cache: DerivedCache;
  readonly #store: RegistryStore;
  readonly #hash: FileHasher;
  readonly #cacheFolder: string;
  #lastChange: Promise<unknown> = Promise.resolve();

  constructor({ root, directory, isPersistent, store }: RegistryParts) {
    this.root = root;
    this.directory = directory;
    this.isPersistent = isPersistent;
    this.#store = store;
    this.#cacheFolder = join(root, directory, "cache");
    this.cache = createDerivedCache({
      directory: this.#cacheFolder,
      writerId: codeId,
      write: (file, bytes) => this.#writeCacheFile(file, bytes),
      liveHashes: () => [...store.records.values()].flatMap(({ sha256 = [] }) => sha256),
    });
    this.#hash = createFileHasher(this.cache);
  }

  add(
    alias: string,
    path: string,
    options: { signal?: AbortSignal | undefined } = {},
  ): Promise<Result<AliasEntry>> {
    return this.#inTurn(async () => {
      throwIfAborted(options.signal, AliasesError);
      const { records } = this.#store;
      const found = this.#hashForAdding(path);
      const issues = [...aliasIssues(alias, records), ...(found.ok ? [] : found.issues)];
      const [first, ...rest] = issues;
      if (first !== undefined) return failure(first, ...rest);
      if (!found.ok) return found;
      const record = changeRecord(records.get(alias), found.value);
      if (basename(this.directory) === OWN_DIRECTORY) record.fields["added"] = true;
      if (!isSameRecord(record, records.get(alias))) {
        await this.#store.replace(new Map(records).set(alias, record), options.signal);
      }
      return success(entryOf(alias, record));
    });
  }

  remove(alias: string): Promise<boolean> {
    return this.#inTurn(async () => {
      const records = new Map(this.#store.records);
      if (!records.delete(alias)) return false;
      await this.#store.replace(records, undefined);
      return true;
    });
  }

  list(): AliasEntry[] {
    return [...this.#store.records]
      .sort(([a], [b]) => compareCodeUnits(a, b))
      .map(([alias, record]) => entryOf(alias, record));
  }

  async resolve(
    alias: string,
    options: { signal?: AbortSignal | undefined } = {},
  ): ReturnType<AliasRegistry["resolve"]> {
    throwIfAborted(options.signal, AliasesError);
    return readAlias(this.root, this.#store.records, alias);
  }

  async stat(
    options: { signal?: AbortSignal | undefined } = {},
  ): ReturnType<AliasRegistry["stat"]> {
    const stats = await statRecords(this.#treeContext(createPacer(options)));
    await this.cache.flush();
    return stats;
  }

  async verify(
    options: { signal?: AbortSignal | undefined } = {},
  ): ReturnType<AliasRegistry["verify"]> {
    const { checks } = await scanTree(this.#treeContext(createPacer(options)), {});
    await this.cache.flush();
    return { checks, isClean: checks.every(({ status }) => status === "ok") };
  }

  scan(rules: ScanRules = {}): Promise<ScanReport> {
    return this.#inTurn(async () => {
      const pacer = createPacer({ signal: rules.signal, onProgress: progressOf(rules) });
      const { records, report } = await scanTree(this.#treeContext(pacer), rules);
      const hasChanged = [report.added, report.updated, report.moved, report.removed].some(
        ({ length }) => length > 0,
      );
      if (hasChanged) await this.#store.replace(records, rules.signal);
      await this.cache.flush();
      return { entries: this.list(), ...report };
    });
  }

  async close(): Promise<void> {
    await this.#inTurn(() => this.cache.flush());
  }

  /** Runs changes one at a time, so that each starts from the result of the previous one. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#lastChange.then(change);
    this.#lastChange = turn.catch(() => undefined);
    return turn;
  }

  #treeContext(pacer: Pacer): TreeContext {
    const { root, directory: registryDirectory } = this;
    return { root, registryDirectory, records: this.#store.records, hash: this.#hash, pacer };
  }

  #hashForAdding(path: string): Result<{ path: string; sha256: string }> {
    const inside = normalizeInsidePath(path);
    if (inside === undefined) return failure(outsideRoot(path));
    const file = findFile(this.root, inside);
    if (!file.ok) return file;
    try {
      return success({ path: inside, sha256: hashFile(file.value.realPath).sha256 });
    } catch (error) {
      throw toIoError(error, `read ${inside}`);
    }
  }

  /** A cache only saves time, so a failed write is ignored. */
  async #writeCacheFile(file: string, content: Uint8Array): Promise<void> {
    if (!this.isPersistent || !this.#store.hasFile) return;
    // Another program's folder gets no cache, because its users might commit it.
    if (basename(this.directory) !== OWN_DIRECTORY && !existsSync(this.#cacheFolder)) return;
    try {
      mkdirSync(this.#cacheFolder, { recursive: true });
      if (!isInside(this.root, realpathSync.native(this.#cacheFolder))) return;
      await writeFileDurable(file, content, { durability: "off" });
    } catch {
      // The write fails on read-only checkouts and full disks.
    }
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
 * The directory relative to the root.
 * @throws AliasesError `io_failed` if the folder is not inside the root or a link leads out of it
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

function progressOf({ onEvent }: ScanRules): (done: number, total: number | undefined) => void {
  return (done, total) => {
    callListener(
      onEvent,
      total === undefined ? { type: "files_found", done } : { type: "files_hashed", done, total },
    );
  };
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

function outsideRoot(path: string): Issue {
  const message = `${quote(path)} is not a path inside the root. Give one relative to the root, without "..".`;
  return { code: "path_outside_root", path: ["path"], message };
}

function isSameRecord(a: RegistryRecord, b: RegistryRecord | undefined): boolean {
  return (
    a.path === b?.path &&
    a.sha8 === b.sha8 &&
    a.sha256 === b.sha256 &&
    a.fields["added"] === b.fields["added"]
  );
}

function entryOf(alias: string, { path, sha8, sha256 }: RegistryRecord): AliasEntry {
  return sha256 === undefined ? { alias, path, sha8 } : { alias, path, sha8, sha256 };
}
