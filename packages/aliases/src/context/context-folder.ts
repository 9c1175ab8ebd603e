import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, posix } from "node:path";

import { throwIfAborted } from "@ccl/core/async";
import { resolveInside, unless, writeFileDurable } from "@ccl/core/node";

import { AliasesError } from "../aliases-error.ts";
import type { AliasRegistry } from "../registry/alias-registry.ts";
import { toIoError } from "../registry/io-error.ts";
import { withRegistryLock } from "../registry/registry-lock.ts";

/** Reads and writes files in a registry's folder. Names are relative to it and use forward slashes. */
export interface ContextFolder {
  /** Returns the path relative to the root, for messages. */
  pathOf(name: string): string;
  /** Reads a file. Returns undefined if it does not exist. */
  read(name: string, signal: AbortSignal | undefined): Promise<string | undefined>;
  /** Writes atomically. The file is on disk when the promise resolves. */
  write(name: string, text: string, signal: AbortSignal | undefined): Promise<void>;
  /** Removes a file. Returns true if it existed. */
  remove(name: string, signal: AbortSignal | undefined): Promise<boolean>;
  /** Runs `work` while no other process holds the same lock. */
  withLock<T>(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
}

/** Opens a registry's folder without I/O. Writing fails if the registry does not persist. */
export function createContextFolder(registry: AliasRegistry): ContextFolder {
  const place = async (name: string, signal: AbortSignal | undefined): Promise<string> => {
    throwIfAborted(signal, AliasesError);
    const inside = await resolveInside(registry.root, pathOf(name));
    if (inside.ok) return inside.value.absolutePath;
    throw new AliasesError("io_failed", inside.issues.map((issue) => issue.message).join(" "));
  };
  const pathOf = (name: string): string =>
    posix.join(registry.directory.replaceAll("\\", "/"), name);
  const requirePersistence = (name: string): void => {
    if (registry.isPersistent) return;
    throw new AliasesError(
      "io_failed",
      `${pathOf(name)} is not written: the registry was opened to keep nothing.`,
    );
  };
  return {
    pathOf,
    async read(name, signal) {
      try {
        return await unless(["ENOENT"], readFile(await place(name, signal), "utf8"), undefined);
      } catch (error) {
        throw toIoError(error, `read ${pathOf(name)}`);
      }
    },
    async write(name, text, signal) {
      requirePersistence(name);
      try {
        const path = await place(name, signal);
        await mkdir(dirname(path), { recursive: true });
        await writeFileDurable(path, text);
      } catch (error) {
        throw toIoError(error, `write ${pathOf(name)}`);
      }
    },
    async remove(name, signal) {
      requirePersistence(name);
      try {
        const removed = rm(await place(name, signal)).then(() => true);
        return await unless(["ENOENT"], removed, false);
      } catch (error) {
        throw toIoError(error, `remove ${pathOf(name)}`);
      }
    },
    async withLock(name, signal, work) {
      requirePersistence(name);
      const path = await place(name, signal);
      return await withRegistryLock(path, { signal }, work);
    },
  };
}
