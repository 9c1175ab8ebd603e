import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCode } from "../file-system/file-system.ts";
import { folderPath } from "../layout/store-folder.ts";
import type { FsStore } from "./fs-store.ts";

const firstWaitMs = 2;
const longestWaitMs = 50;

/** Callers of this process wait for each other here, in turn, and for other processes by the file. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Runs a call while no other one, of any process, has the same lock. The lock of a process that has died is taken over. It
 * guards sums of bytes, never the bytes: those are safe without it.
 */
export async function withLock<Value>(
  { store, path, signal }: { store: FsStore; path: string; signal?: AbortSignal | undefined },
  call: () => Promise<Value>,
): Promise<Value> {
  const before = turns.get(path) ?? Promise.resolve();
  const run = before.then(async () => {
    signal?.throwIfAborted();
    await acquire(store, path, signal);
    try {
      return await call();
    } finally {
      await store.fs.unlink(path).catch(() => undefined);
    }
  });
  const settled = run.catch(() => undefined);
  turns.set(path, settled);
  try {
    return await run;
  } finally {
    if (turns.get(path) === settled) turns.delete(path);
  }
}

async function acquire(
  store: FsStore,
  path: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { fs, owner } = store;
  const token = owner.nextToken();
  const own = join(folderPath(store, "owners"), `${token}.lock`);
  const file = await fs.create(own);
  try {
    await file.write(new TextEncoder().encode(token), 0);
    await file.close();
    for (
      let waitMs = firstWaitMs;
      !(await tryLink(store, own, path));
      waitMs = Math.min(waitMs * 2, longestWaitMs)
    ) {
      if (await takeOver(store, path)) continue;
      await sleep(waitMs, undefined, { signal });
    }
  } finally {
    await fs.unlink(own).catch(() => undefined);
  }
}

/** The lock file appears whole, with its owner's name. */
async function tryLink({ fs }: FsStore, own: string, path: string): Promise<boolean> {
  try {
    await fs.link(own, path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Removes the lock of a process that is gone. */
async function takeOver(store: FsStore, path: string): Promise<boolean> {
  const dead = await holderOf(store, path);
  if (dead === undefined || store.owner.isAlive(dead.token, dead.ageMs)) return false;
  const aside = `${path}.${store.owner.nextToken()}`;
  try {
    await store.fs.rename(path, aside);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return true;
    throw error;
  }
  // Another waiter may have taken over in between: what was moved is then its lock, and goes back.
  if ((await holderOf(store, aside))?.token !== dead.token)
    await store.fs.link(aside, path).catch(() => undefined);
  await store.fs.unlink(aside);
  return true;
}

async function holderOf(
  store: FsStore,
  path: string,
): Promise<{ token: string; ageMs: number } | undefined> {
  const status = await store.fs.status(path);
  if (status === undefined) return undefined;
  const file = await store.fs.open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const buffer = new Uint8Array(256);
    const token = new TextDecoder().decode(buffer.subarray(0, await file.read(buffer, 0)));
    return { token, ageMs: Date.now() - status.changedAtMs };
  } finally {
    await file.close();
  }
}
