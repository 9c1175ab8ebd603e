import { randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import { link, open, readdir, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { throwIfAborted, untilAborted } from "../async/abort.ts";
import { ioError, NodeIoError } from "./node-io-error.ts";
import { ownProcessIdentity, processState, type ProcessIdentity } from "./process-identity.ts";
import { systemCode } from "./system-code.ts";

/** Options for waiting for a lock. */
export interface FileLockOptions {
  /** How long to wait for another owner, in milliseconds. 10,000 by default. 0 tries once. */
  waitMs?: number | undefined;
  /** Ends the wait but not the work. */
  signal?: AbortSignal | undefined;
  /**
   * The age at which a lock whose owner is on another machine or in another container counts as abandoned. By default
   * it never does, because this process cannot check whether such an owner is alive.
   */
  abandonedAfterMs?: number | undefined;
}

/** A lock that is held until it is released or the process ends. */
export interface FileLock {
  /** Releases the lock. Further calls do nothing. */
  release(): Promise<void>;
}

/** The content of a lock file, as one line of JSON. */
interface LockOwner extends ProcessIdentity {
  /** A new token each time the lock is acquired. */
  token: string;
}

/** The file system calls of a lock. Tests run them in every order. Errors are system errors. */
export interface LockFiles {
  /** Creates a file with the text. Fails with `EEXIST` if it exists. The text may appear later than the file. */
  create(path: string, text: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  /** Returns the text and its modification time. */
  read(path: string): Promise<{ text: string; modifiedMs: number }>;
  unlink(path: string): Promise<void>;
  list(folder: string): Promise<string[]>;
}

/** The environment of a lock. */
export interface LockSystem {
  files: LockFiles;
  identity(): Promise<ProcessIdentity>;
  stateOf(owner: ProcessIdentity): Promise<"alive" | "dead" | "unknown">;
  pause(ms: number, signal: AbortSignal | undefined): Promise<unknown>;
}

const nodeSystem: LockSystem = {
  files: {
    create: (path, text) => writeFile(path, text, { flag: "wx" }),
    link,
    async read(path) {
      const file = await open(path);
      try {
        return { text: await file.readFile("utf8"), modifiedMs: (await file.stat()).mtimeMs };
      } finally {
        await file.close();
      }
    },
    unlink,
    list: (folder) => readdir(folder),
  },
  identity: ownProcessIdentity,
  stateOf: processState,
  pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
};

const defaultWaitMs = 10_000;
const firstPauseMs = 1;
const maxPauseMs = 25;
/**
 * How long a file without an owner is left alone. Without hard links, the file exists before its owner's name is
 * written.
 */
const tornAfterMs = 2_000;

/** The last caller in this process for each lock file. */
const turns = new Map<string, Promise<unknown>>();
/** Tokens of released locks whose files the system did not let this process remove. */
const released = new Set<string>();

/**
 * Runs `work` while no other process and no other caller runs work under the same lock file. Callers in one process are
 * served in the order of their calls. `waitMs` starts when it is a caller's turn.
 * @throws NodeIoError `locked` with the owner in its details, `aborted`, `write_failed`, and anything that `work`
 * throws
 */
export async function withFileLock<Value>(
  path: string,
  options: FileLockOptions,
  work: () => Promise<Value>,
): Promise<Value> {
  const key = keyOf(path);
  const before = turns.get(key) ?? Promise.resolve();
  const run = async (): Promise<Value> => {
    await untilAborted(before, options.signal, NodeIoError);
    const lock = await acquireFileLock(path, options);
    try {
      return await work();
    } finally {
      await lock.release();
    }
  };
  const running = run();
  const settled = Promise.allSettled([before, running]);
  turns.set(key, settled);
  try {
    return await running;
  } finally {
    void settled.then(() => turns.get(key) === settled && turns.delete(key));
  }
}

/**
 * Acquires a lock for longer than one call, for example while a store is open. The folder must exist. A lock is taken
 * over if its process has ended, even if another process now has its number, or if the file has had no owner for two
 * seconds. The lock of a living process is never taken over, whatever its age.
 * @throws NodeIoError `locked` with the owner in its details, `aborted`, `write_failed`
 */
export async function acquireFileLock(
  path: string,
  options: FileLockOptions = {},
): Promise<FileLock> {
  try {
    return await acquire(nodeSystem, resolve(path), options);
  } catch (error) {
    throw ioError("write_failed", `Could not lock "${path}"`, error);
  }
}

/** Returns a key for a lock file that is the same whichever links lead to its folder. */
function keyOf(path: string): string {
  const full = resolve(path);
  try {
    return join(realpathSync(dirname(full)), basename(full));
  } catch {
    return full;
  }
}

/** A call that tries to acquire the lock. */
interface Candidate {
  system: LockSystem;
  path: string;
  owner: LockOwner;
  abandonedAfterMs: number;
  /**
   * True once the candidate has removed the lock of a dead owner, which may have left other files.
   */
  hasTakenOver: boolean;
}

/**
 * Why the lock excludes others. A lock file appears by a hard link to a complete file, so it always names its owner. Of
 * several links to one path the file system lets one succeed. A lock file is removed
 * - by its owner, if it finds its own token in it, or
 * - after its owner's death by the one process that holds the claim on its token: a lock of the same kind at a path that
 *   contains the token. A claim whose holder dies is removed in the same way, under a claim on the holder's token.
 * The holder of a claim reads the lock file again before it removes it. No token is used twice. If the file still holds
 * the claimed token, no other process may remove it, and it stays until this process removes it. Otherwise another
 * process was faster, and this one removes nothing.
 */
export async function acquire(
  system: LockSystem,
  path: string,
  options: FileLockOptions,
): Promise<FileLock> {
  const { waitMs = defaultWaitMs, signal, abandonedAfterMs = Infinity } = options;
  const deadline = performance.now() + waitMs;
  const owner = { ...(await system.identity()), token: randomBytes(16).toString("hex") };
  const candidate = { system, path, owner, abandonedAfterMs, hasTakenOver: false };
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    throwIfAborted(signal, NodeIoError);
    if ((await removeIfAbandoned(candidate, path)) && (await place(candidate, path))) {
      if (candidate.hasTakenOver) await sweep(candidate).catch(() => undefined);
      let releasing: Promise<void> | undefined;
      return { release: () => (releasing ??= release(candidate)) };
    }
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw lockedError(path, (await read(system, path))?.owner);
    await system.pause(Math.min(pauseMs * (0.5 + Math.random() / 2), leftMs), signal);
  }
}

/** Makes the candidate the owner of the lock or claim at `target`. False if another process is. */
async function place({ system, path, owner }: Candidate, target: string): Promise<boolean> {
  const { files } = system;
  const text = `${JSON.stringify(owner)}\n`;
  const candidatePath = `${path}.${owner.token}.new`;
  await files.create(candidatePath, text);
  try {
    await files.link(candidatePath, target);
    return true;
  } catch (error) {
    // Its own file is gone: the candidate was so slow that another process took it for dead and removed the file.
    if (isTaken(error) || systemCode(error) === "ENOENT") return false;
    if (!isWithoutHardLinks(error)) throw error;
  } finally {
    await files.unlink(candidatePath).catch(() => undefined);
  }
  const begun = performance.now();
  try {
    await files.create(target, text);
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
  // The file existed before it named its owner. If that took too long, others may have mistaken it
  // for a torn file.
  if (performance.now() - begun < tornAfterMs / 2) return true;
  await removeOwn(system, target, owner.token);
  return false;
}

/**
 * Removes an abandoned lock or claim. True if there is none at `target` any more. False while its owner may be alive.
 */
async function removeIfAbandoned(candidate: Candidate, target: string): Promise<boolean> {
  const { system, path, owner } = candidate;
  const found = await read(system, target);
  if (found === undefined) return true;
  if (!(await isAbandoned(candidate, found))) return false;
  const claim = `${path}.${found.owner?.token ?? "torn"}.claim`;
  // A claim can only be torn without hard links, and a torn claim has no token to claim.
  if (claim === target) return unlinkIfThere(system, target);
  if (!(await place(candidate, claim))) {
    const isFree = await removeIfAbandoned(candidate, claim);
    return isFree && removeIfAbandoned(candidate, target);
  }
  try {
    const still = await read(system, target);
    const isSame = still !== undefined && still.owner?.token === found.owner?.token;
    if (!isSame || !(await isAbandoned(candidate, still))) return still === undefined;
    candidate.hasTakenOver = true;
    return await unlinkIfThere(system, target);
  } finally {
    await removeOwn(system, claim, owner.token);
  }
}

/** Removes the files of processes that were killed while they acquired or took over this lock. */
async function sweep(candidate: Candidate): Promise<void> {
  const { system, path } = candidate;
  const prefix = `${basename(path)}.`;
  for (const name of await system.files.list(dirname(path))) {
    if (!name.startsWith(prefix)) continue;
    const [, kind] = /^(?:[0-9a-f]{32}|torn)\.(new|claim)$/.exec(name.slice(prefix.length)) ?? [];
    const leftover = join(dirname(path), name);
    if (kind === "claim") await removeIfAbandoned(candidate, leftover);
    const found = kind === "new" ? await read(system, leftover) : undefined;
    if (found !== undefined && (await isAbandoned(candidate, found)))
      await unlinkIfThere(system, leftover);
  }
}

async function release({ system, path, owner }: Candidate): Promise<void> {
  // Windows cannot remove a file that another process, such as a virus scanner, has open.
  for (let tries = 0; tries < 5; tries += 1) {
    try {
      if (await removeOwn(system, path, owner.token)) return;
    } catch {
      // The work is done, whether or not the file can be removed.
    }
    await system.pause(maxPauseMs, undefined);
  }
  released.add(owner.token);
}

/** True if the file at the path no longer holds that token. */
async function removeOwn(system: LockSystem, path: string, token: string): Promise<boolean> {
  const found = await read(system, path);
  return found?.owner?.token !== token || unlinkIfThere(system, path);
}

/** Removes the file if it exists. False if the system keeps it because another process has it open. */
async function unlinkIfThere({ files }: LockSystem, path: string): Promise<boolean> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (isTaken(error)) return false;
    if (systemCode(error) !== "ENOENT") throw error;
  }
  return true;
}

interface LockContent {
  /** Undefined for an unfinished file, which has no owner. */
  owner: LockOwner | undefined;
  ageMs: number;
}

async function read({ files }: LockSystem, path: string): Promise<LockContent | undefined> {
  try {
    const { text, modifiedMs } = await files.read(path);
    // A time in the future means that the clock was set back.
    return { owner: parseOwner(text), ageMs: Math.abs(Date.now() - modifiedMs) };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (isTaken(error)) return { owner: undefined, ageMs: 0 };
    throw error;
  }
}

async function isAbandoned(
  { system, abandonedAfterMs }: Candidate,
  { owner, ageMs }: LockContent,
): Promise<boolean> {
  if (owner === undefined) return ageMs > tornAfterMs;
  if (released.has(owner.token)) return true;
  const state = await system.stateOf(owner);
  return state === "dead" || (state === "unknown" && ageMs > abandonedAfterMs);
}

function parseOwner(text: string): LockOwner | undefined {
  let value: Partial<Record<keyof LockOwner, unknown>>;
  try {
    value = { ...JSON.parse(text) };
  } catch {
    return undefined;
  }
  const { host, boot, space, pid, started, token } = value;
  if (typeof host !== "string" || typeof boot !== "string" || typeof space !== "string")
    return undefined;
  if (typeof started !== "number" || typeof pid !== "number" || !(pid > 0)) return undefined;
  if (typeof token !== "string" || !/^[0-9a-f]{32}$/.test(token)) return undefined;
  return { host, boot, space, pid, started, token };
}

/** True if a name is in use. On Windows, also while a file of that name is being opened or removed. */
function isTaken(error: unknown): boolean {
  const code = systemCode(error) ?? "";
  const isBusy = process.platform === "win32" && ["EPERM", "EACCES", "EBUSY"].includes(code);
  return code === "EEXIST" || isBusy;
}

/** True for the error codes of file systems without hard links. */
export function isWithoutHardLinks(error: unknown): boolean {
  const codes = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV", "EISDIR"];
  return codes.includes(systemCode(error) ?? "");
}

function lockedError(path: string, owner: LockOwner | undefined): NodeIoError {
  const who =
    owner === undefined ? "Another process" : `Process ${owner.pid} on host ${owner.host}`;
  const message = `${who} holds the lock "${path}". Wait for it to end, or delete the file if no such process is running.`;
  const details = { path, owner: owner && { pid: owner.pid, host: owner.host } };
  return new NodeIoError("locked", message, { details });
}
