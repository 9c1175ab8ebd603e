import { randomUUID } from "node:crypto";
import { readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

import { AliasesError } from "../aliases-error.ts";
import { isErrorWithCode, toIoError, throwIfAborted } from "./io-error.ts";

/** How long to wait for another writer, and what stops the wait. */
export interface RegistryLockOptions {
  waitMs: number;
  signal?: AbortSignal | undefined;
}

interface LockOwner {
  pid: number;
  host: string;
  /** Tells a process from a later one with the same id; empty where the system does not say. */
  started: string;
}

const POLL_MS = 20;
const UNREADABLE_LOCK_MS = 2000;

/**
 * Runs `work` while this process alone holds the lock file at `path`. A lock whose process is dead is taken over.
 * Throws registry_locked when the wait is over, aborted, io_failed.
 */
export async function withRegistryLock<T>(
  path: string,
  options: RegistryLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const content = `${JSON.stringify({ ...thisProcess(), token: randomUUID() })}\n`;
  const deadline = performance.now() + options.waitMs;
  while (!tryCreate(path, content)) {
    throwIfAborted(options.signal);
    if (breakDeadLock(path, content)) continue;
    if (performance.now() >= deadline) throw lockedError(path);
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    removeIfEqual(path, content);
  }
}

/**
 * Removes the lock if its owner is dead. A second lock guards the removal, so that of two processes that saw the
 * same dead owner, the slower one does not remove the lock that the faster one has since taken.
 */
function breakDeadLock(path: string, content: string): boolean {
  const seen = readLock(path);
  if (seen === undefined) return true;
  if (isAlive(path, seen)) return false;
  const guard = `${path}.break`;
  if (!tryCreate(guard, content)) {
    const guardOwner = readLock(guard);
    if (guardOwner !== undefined && !isAlive(guard, guardOwner)) removeIfEqual(guard, guardOwner);
    return false;
  }
  try {
    removeIfEqual(path, seen);
    return true;
  } finally {
    removeIfEqual(guard, content);
  }
}

/** False if there is such a file already. */
function tryCreate(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    if (isErrorWithCode(error, "EEXIST")) return false;
    throw toIoError(error, `lock ${path}`);
  }
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isErrorWithCode(error, "ENOENT")) return undefined;
    throw toIoError(error, `read the lock ${path}`);
  }
}

function removeIfEqual(path: string, content: string): void {
  if (readLock(path) !== content) return;
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isErrorWithCode(error, "ENOENT")) throw toIoError(error, `remove the lock ${path}`);
  }
}

function isAlive(path: string, content: string): boolean {
  const owner = parseOwner(content);
  if (owner === undefined) return isRecent(path);
  if (owner.host !== hostname()) return true;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (isErrorWithCode(error, "ESRCH")) return false;
  }
  const started = processStart(owner.pid);
  return owner.started === "" || started === "" || started === owner.started;
}

/** A lock that names no owner is being written this moment, unless its writer died between two system calls. */
function isRecent(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs < UNREADABLE_LOCK_MS;
}

function parseOwner(content: string): LockOwner | undefined {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("pid" in value) || !("host" in value))
    return undefined;
  const { pid, host } = value;
  if (typeof pid !== "number" || !Number.isSafeInteger(pid) || pid <= 0 || typeof host !== "string")
    return undefined;
  return {
    pid,
    host,
    started: "started" in value && typeof value.started === "string" ? value.started : "",
  };
}

function thisProcess(): LockOwner {
  return { pid: process.pid, host: hostname(), started: processStart(process.pid) };
}

/** Linux: boot-relative start time of the process, field 22 of /proc/<pid>/stat (see proc(5)). */
function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

function lockedError(path: string): AliasesError {
  const owner = parseOwner(readLock(path) ?? "");
  const who = owner === undefined ? "another process" : `process ${owner.pid} on ${owner.host}`;
  return new AliasesError(
    "registry_locked",
    `The registry is locked by ${who}. Wait for it to finish, or delete ${path} if no such process is running.`,
  );
}
