import { join } from "node:path";
import { mapConcurrent } from "@ccl/core/async";
import { systemCode } from "@ccl/core/node";
import type { FileSystem } from "../file-system/file-system.ts";
import { isReference } from "../layout/entry-name.ts";
import {
  entryPath,
  filesAtOnce,
  folderPath,
  shardNames,
  type StoreFolder,
  unlinkIfThere,
} from "../layout/store-folder.ts";
import type { FsStore } from "./fs-store.ts";
import { listAll } from "./references.ts";

/** A file that marks an open store that may have unfinished files. If its process is gone, a sweep is due. */
export class Lease {
  readonly #fs: FileSystem;
  readonly #path: string;
  #taken: Promise<void> | undefined;

  constructor(store: StoreFolder) {
    this.#fs = store.fs;
    this.#path = join(folderPath(store, "owners"), `${store.owner.nextToken()}.live`);
  }

  /** Creates the file once, before the first unfinished file. */
  take(): Promise<void> {
    this.#taken ??= this.#fs
      .create(this.#path)
      .then((file) => file.close())
      .catch((error: unknown) => {
        this.#taken = undefined;
        throw error;
      });
    return this.#taken;
  }

  async release(): Promise<void> {
    if (this.#taken === undefined) return;
    await this.#taken.catch(() => undefined);
    await this.#fs.unlink(this.#path).catch(() => undefined);
  }
}

/** Removes unfinished files of crashed processes, if there was a crash. Does nothing in a read-only store. */
export async function sweepAfterCrash(store: FsStore): Promise<void> {
  try {
    const folder = folderPath(store, "owners");
    const leases = (await store.fs.list(folder)).map((name) => join(folder, name));
    const dead = await deadFiles(store, leases);
    if (dead.length === 0) return;
    await sweep(store);
    for (const path of dead) await unlinkIfThere(store, path);
  } catch (error) {
    if (!/^(?:EACCES|EPERM|EROFS|ENOENT)$/.test(systemCode(error) ?? "")) throw error;
  }
}

/** Removes unfinished files of processes that are gone. Readers never see them, so this only frees space. */
export async function sweep(store: FsStore): Promise<void> {
  const { fs, batches } = store;
  const staging = folderPath(store, "staging");
  const staged = (await fs.list(staging)).map((name) => join(staging, name));
  const files = await batches.listFiles();
  const open = files.filter((file) => !file.isDone).map((file) => file.path);
  const entries = await listAll(store, shardNames);
  const pins = entries.flatMap((entry) => (entry.kind === "pin" ? entryPath(store, entry) : []));
  for (const path of await deadFiles(store, [...staged, ...open, ...pins]))
    await unlinkIfThere(store, path);
  const references = entries.filter(isReference);
  await mapConcurrent(references, filesAtOnce, async (entry) => {
    if (!(await batches.isInUse(entry.batch))) await unlinkIfThere(store, entryPath(store, entry));
  });
  // If a batch was done before the listing, the listing contains all its references.
  const named = new Set(references.map((entry) => entry.batch));
  for (const { path } of files.filter((file) => file.isDone && !named.has(file.batch)))
    await unlinkIfThere(store, path);
}

async function deadFiles(store: StoreFolder, paths: readonly string[]): Promise<string[]> {
  const isDead = await mapConcurrent(paths, filesAtOnce, async (path) => {
    const status = await store.fs.status(path);
    const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
    const token = name.split(".").at(-2) ?? "";
    return (
      status !== undefined && !(await store.owner.isAlive(token, Date.now() - status.changedAtMs))
    );
  });
  return paths.filter((_, index) => isDead[index]);
}
