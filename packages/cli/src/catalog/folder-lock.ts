import { open, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";

import { CliError } from "../cli-error.ts";

const MAX_WAIT_MS = 5_000;
const EVERY_MS = 50;

/** Runs `work` while no other process holds the lock file. A lock whose process has ended on this machine is taken over. */
export async function withLock<T>(
  path: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  await take(path, signal);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function take(path: string, signal: AbortSignal): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += EVERY_MS) {
    signal.throwIfAborted();
    if (await isTaken(path)) return;
    const owner = await readFile(path, "utf8").catch(() => undefined);
    if (owner !== undefined && hasEnded(owner)) {
      await rm(path, { force: true });
      continue;
    }
    if (waitedMs >= MAX_WAIT_MS) {
      const message = `Another process holds ${path}. Wait for it, or delete the file when no ccl is running.`;
      throw new CliError("catalog_conflict", message);
    }
    await wait(EVERY_MS, undefined, { signal });
  }
}

async function isTaken(path: string): Promise<boolean> {
  try {
    const handle = await open(path, "wx");
    try {
      await handle.writeFile(JSON.stringify({ pid: process.pid, host: hostname() }));
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** What cannot be read may be half-written by a process that lives. */
function hasEnded(owner: string): boolean {
  try {
    const { pid, host }: { pid?: unknown; host?: unknown } = JSON.parse(owner);
    if (host !== hostname() || typeof pid !== "number") return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
