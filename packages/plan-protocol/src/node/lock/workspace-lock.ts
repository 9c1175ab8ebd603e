import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { PlanProtocolError, throwIfAborted } from "../../plan-protocol-error.ts";
import { type Folder, systemCode, unless } from "../file-system/folder.ts";
import { syncIn, type WorkspaceParts } from "../workspace-parts.ts";

const LOCK = "lock";

/** The random ends of a token; the whole would make too long a name. */
const CLAIM_LENGTH = 33;

const firstWaitMs = 2;
const longestWaitMs = 100;

/** A lock whose owner can't be looked at is left alone for as long as any apply may take. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** What a token is written as; anything else is a file that was never finished, which happens without hard links. */
const TOKEN = /^[0-9a-z-]+-[0-9a-f]{16}-[0-9a-f]{16}$/;
const writtenAfterMs = 10_000;

/** What a lock needs to know: whose it is, and in which folder its file is. */
export type LockParts = Pick<
  WorkspaceParts,
  "openJournals" | "journalsName" | "durability" | "clock" | "owner" | "lockTimeoutMs"
>;

/** Callers of this process wait for each other here, in turn, and for other processes by the lock file. */
const turns = new Map<string, Promise<unknown>>();

/** Locks of this process that the system did not let it remove when it was done with them. */
const ended = new Set<string>();

/**
 * Runs a call while no other one, of any process, changes the same workspace. The lock of a process that has ended is
 * taken over, also if another process has its number since.
 * @throws PlanProtocolError `workspace_busy` when another process does not end in time, `aborted`
 */
export async function withWorkspaceLock<Value>(
  parts: LockParts,
  signal: AbortSignal | undefined,
  call: (journals: Folder) => Promise<Value>,
): Promise<Value> {
  const key = parts.journalsName;
  const before = turns.get(key) ?? Promise.resolve();
  const run = before.then(async () => {
    throwIfAborted(signal);
    const journals = await parts.openJournals();
    try {
      const token = await acquire(parts, journals, signal);
      try {
        return await call(journals);
      } finally {
        await journals.unlink(LOCK).catch(() => ended.add(token));
      }
    } finally {
      await journals.close();
    }
  });
  const settled = run.catch(() => undefined);
  turns.set(key, settled);
  try {
    return await run;
  } finally {
    if (turns.get(key) === settled) turns.delete(key);
  }
}

async function acquire(
  parts: LockParts,
  journals: Folder,
  signal: AbortSignal | undefined,
): Promise<string> {
  const token = `${parts.owner.token}-${randomBytes(8).toString("hex")}`;
  const claimant: Claimant = { parts, journals, token, own: `${LOCK}.${token}` };
  await writeNew(parts, journals, { name: claimant.own, token });
  try {
    let waitedMs = 0;
    for (
      let waitMs = firstWaitMs;
      !(await tryLink(claimant, LOCK));
      waitMs = Math.min(waitMs * 2, longestWaitMs)
    ) {
      throwIfAborted(signal);
      if (await removeAbandoned(claimant, LOCK)) continue;
      if (waitedMs >= parts.lockTimeoutMs) throw busyError(parts);
      await sleep(waitMs, undefined, signal === undefined ? {} : { signal }).catch(() =>
        throwIfAborted(signal),
      );
      waitedMs += waitMs;
    }
    return token;
  } finally {
    await journals.unlink(claimant.own).catch(() => undefined);
  }
}

/** One who wants the lock. */
interface Claimant {
  parts: LockParts;
  journals: Folder;
  /** Another one each time. */
  token: string;
  /** A file that holds the token. */
  own: string;
}

/** Durable, so that no power cut leaves a lock whose owner can't be told. */
async function writeNew(
  parts: LockParts,
  journals: Folder,
  { name, token }: { name: string; token: string },
): Promise<void> {
  const file = await journals.createFile(name, 0o600);
  try {
    await file.write(new TextEncoder().encode(token));
    await syncIn(parts, file);
  } finally {
    await file.close();
  }
}

/** The file appears whole, with its owner's name. */
async function tryLink({ parts, journals, own, token }: Claimant, name: string): Promise<boolean> {
  try {
    await journals.link(own, journals, name);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    if (!hasNoLinks(error)) throw error;
  }
  // A file system without hard links: a file that is made exclusively does as well, but may be seen before its owner's name.
  const written = writeNew(parts, journals, { name, token }).then(() => true);
  return unless(["EEXIST"], written, false);
}

/** True for what systems answer where a file cannot have a second name. */
export function hasNoLinks(error: unknown): boolean {
  return ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"].includes(
    systemCode(error) ?? "",
  );
}

/**
 * Removes the lock of a process that is gone; true if the lock may be free now. Only who holds the claim on a token may
 * remove the file with it. Tokens never come back, so a claimant that comes late finds another token and removes nothing.
 */
async function removeAbandoned(claimant: Claimant, name: string): Promise<boolean> {
  const { parts, journals } = claimant;
  const dead = await tokenIn(journals, name);
  if (dead === undefined) return true;
  if (!(await isAbandoned(parts, { journals, name, token: dead }))) return false;
  const claim = TOKEN.test(dead) ? `claim.${dead.slice(-CLAIM_LENGTH)}` : "claim.torn";
  if (claim === name) {
    await unless(["ENOENT"], journals.unlink(claim), undefined);
    return true;
  }
  if (!(await tryLink(claimant, claim))) return removeAbandoned(claimant, claim);
  try {
    if ((await tokenIn(journals, name)) === dead) await journals.unlink(name);
  } finally {
    await journals.unlink(claim);
  }
  return true;
}

async function isAbandoned(
  parts: LockParts,
  { journals, name, token }: { journals: Folder; name: string; token: string },
): Promise<boolean> {
  const state = ended.has(token) ? "dead" : parts.owner.stateOf(token);
  if (state !== "unknown") return state === "dead";
  const status = await journals.status(name);
  const patienceMs = TOKEN.test(token) ? abandonedAfterMs : writtenAfterMs;
  return (
    status !== undefined && parts.clock.now() - Number(status.modifiedNs / 1_000_000n) > patienceMs
  );
}

async function tokenIn(journals: Folder, name: string): Promise<string | undefined> {
  const file = await unless(["ENOENT"], journals.openFile(name), undefined);
  if (file === undefined) return undefined;
  try {
    const buffer = new Uint8Array(512);
    return new TextDecoder().decode(buffer.subarray(0, await file.read(buffer, 0)));
  } finally {
    await file.close();
  }
}

function busyError(parts: LockParts): PlanProtocolError {
  const message =
    `Another process holds "${parts.journalsName}/${LOCK}" and did not end within ${parts.lockTimeoutMs} ms. ` +
    "If none is at work, on no other machine either, remove that file.";
  return new PlanProtocolError("workspace_busy", message);
}
