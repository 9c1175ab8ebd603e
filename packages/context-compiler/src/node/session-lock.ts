import { randomBytes } from "node:crypto";
import { link, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";

/** The right to write one session's files, held until it is released or the process ends. */
export interface SessionLock {
  release(): Promise<void>;
}

/** Who holds a lock; the whole record is the content of its file. */
interface Holder {
  pid: number;
  /** When the process began, in the system's own unit, so that a reused pid is told apart; empty where that is unknown. */
  started: string;
  host: string;
  token: string;
}

/**
 * Takes the lock at a path, or gives undefined where a living process has it. A lock of a process of this machine that
 * is gone is taken over; one of another machine never is, since nothing tells here whether that process lives.
 */
export async function acquireSessionLock(path: string): Promise<SessionLock | undefined> {
  const token = randomBytes(12).toString("hex");
  const holder: Holder = {
    pid: process.pid,
    started: await startOf(process.pid),
    host: hostname(),
    token,
  };
  const own = `${path}.${token}`;
  await writeFile(own, JSON.stringify(holder), { flag: "wx" });
  try {
    if (!(await take(path, { path, own }))) return undefined;
    return { release: () => unlink(path).catch(ignoreMissing) };
  } finally {
    await rm(own, { force: true });
  }
}

/** A link makes the file appear whole or not at all, and fails where there is one. */
async function take(target: string, base: { path: string; own: string }): Promise<boolean> {
  if (await isLinked(base.own, target)) return true;
  const holder = await readHolder(target);
  if (holder === undefined) return isLinked(base.own, target);
  if (await isAlive(holder)) return false;
  // Only who has the right to a dead holder's lock may remove it; a right whose owner died is taken over the same way.
  const right = `${base.path}.over.${holder.token}`;
  if (!(await take(right, base))) return false;
  try {
    if ((await readHolder(target))?.token !== holder.token) return false;
    await unlink(target);
    return await isLinked(base.own, target);
  } finally {
    await unlink(right).catch(ignoreMissing);
  }
}

async function isLinked(own: string, target: string): Promise<boolean> {
  try {
    await link(own, target);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const value: Partial<Record<string, unknown>> = { ...parseObject(text) };
  const { pid, started, host, token } = value;
  const isHolder =
    typeof pid === "number" && typeof started === "string" && typeof host === "string";
  if (isHolder && typeof token === "string" && /^[0-9a-f]{24}$/.test(token))
    return { pid, started, host, token };
  return { pid: 0, started: "", host: "", token: "" };
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

async function isAlive({ pid, started, host }: Holder): Promise<boolean> {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return false;
  }
  return (await startOf(pid)) === started;
}

/** Field 22 of /proc/pid/stat on Linux; empty elsewhere. The second field, a name in brackets, may hold anything. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== "ENOENT") throw error;
}
