import { pageLimit } from "@ccl/core/paging";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { sha256Hex } from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";
import {
  acquireFileLock,
  NodeIoError,
  openAppendLog,
  writeFileDurable,
  type AppendLog,
  type Durability,
  type FileLock,
} from "@ccl/core/node";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { requireObject, requireThat, shown } from "../fit/require-that.ts";
import type { EventPage, SessionPage, SessionStore } from "../session-store/session-store.ts";
import {
  conflictError,
  eventPageSizes,
  requireSessionId,
  requireStateKey,
  requireExpectedVersion,
  sessionPageSizes,
} from "../session-store/store-input.ts";
import {
  eventLine,
  firstChain,
  headerLine,
  readSessionLog,
  sessionOfLog,
  type LogPosition,
} from "./session-log-file.ts";

/** Where the files are, and how durable they are written. */
export interface JsonlSessionStoreOptions {
  /** Made where it is missing. */
  folder: string;
  /** `full` by default: what was recorded outlives a power cut. */
  durability?: Durability | undefined;
}

/** A session that this store writes. */
interface Writer {
  lock: FileLock;
  log: AppendLog | undefined;
  position: LogPosition;
}

/**
 * Sessions as files of JSON lines, one a session. The first write to a session makes this store its only writer until it
 * is closed, across processes; others may read. A line that a crash left unfinished is dropped and reported.
 * @throws ContextCompilerError `invalid_options` or `store_failed`
 */
export async function openJsonlSessionStore(
  options: JsonlSessionStoreOptions,
): Promise<SessionStore> {
  requireObject("What a session store is made of", options);
  const { folder, durability = "full" } = options;
  requireThat(
    typeof folder === "string" && folder !== "",
    `folder is the path of a folder, not ${shown(folder)}.`,
  );
  const isKnown = ["full", "normal", "off"].includes(durability);
  requireThat(isKnown, `durability is "full", "normal" or "off", not ${shown(durability)}.`);
  await mkdir(join(folder, locksFolder), { recursive: true }).catch((error: unknown) => {
    throw failed("The folder of the session store can't be used", error);
  });
  return new JsonlSessionStore(folder, durability);
}

const locksFolder = "locks";
const readableId = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)$)[a-z0-9][a-z0-9_-]{0,99}$/;

/** The id itself where every file system can hold it, else a hash that no readable name begins like. */
function fileNameOf(sessionId: string): string {
  return readableId.test(sessionId) ? sessionId : `~${sha256Hex(sessionId).slice(0, 40)}`;
}

function failed(problem: string, cause: unknown): ContextCompilerError {
  if (ContextCompilerError.isInstance(cause)) return cause;
  return new ContextCompilerError("store_failed", `${problem}.`, { cause });
}

class JsonlSessionStore implements SessionStore {
  readonly #folder: string;
  readonly #durability: Durability;
  readonly #writers = new Map<string, Writer>();
  /** The last call of each session, so that calls of one session follow one another. */
  readonly #queues = new Map<string, Promise<unknown>>();
  #isClosed = false;

  constructor(folder: string, durability: Durability) {
    this.#folder = folder;
    this.#durability = durability;
  }

  append: SessionStore["append"] = (sessionId, events, options) =>
    this.#run(sessionId, options.signal, async () => {
      const { expectedVersion } = options;
      requireExpectedVersion(options);
      if (events.length === 0 && !this.#writers.has(sessionId)) {
        const version =
          (await readSessionLog(this.#pathOf(sessionId), sessionId))?.end.version ?? 0;
        if (version !== expectedVersion) throw conflictError(sessionId, expectedVersion, version);
        return version;
      }
      const writer = await this.#writerOf(sessionId);
      const { version, offsetBytes } = writer.position;
      if (version !== expectedVersion) throw conflictError(sessionId, expectedVersion, version);
      if (events.length === 0) return version;
      const lines = offsetBytes === 0 ? [headerLine(sessionId)] : [];
      let { chain } = writer.position;
      for (const event of events) {
        const next = eventLine(event, chain);
        lines.push(next.line);
        ({ chain } = next);
      }
      throwIfAborted(options.signal, ContextCompilerError);
      try {
        writer.log ??= await openAppendLog(this.#pathOf(sessionId), {
          durability: this.#durability,
        });
        await writer.log.append(lines);
      } catch (error) {
        await this.#giveUp(sessionId, writer);
        throw error;
      }
      const written = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
      writer.position = {
        version: version + events.length,
        offsetBytes: offsetBytes + written,
        chain,
      };
      return writer.position.version;
    });

  read: SessionStore["read"] = (sessionId, { cursor, limit, signal } = {}) =>
    this.#run(sessionId, signal, async () => {
      const from = cursor === undefined ? {} : { from: positionOf(cursor) };
      const size = pageLimit(limit, eventPageSizes, ContextCompilerError);
      const abort = signal === undefined ? {} : { signal };
      const range = await readSessionLog(this.#pathOf(sessionId), sessionId, {
        ...from,
        ...abort,
        limit: size,
      });
      if (range === undefined) return { events: [] };
      const page: EventPage = { events: range.events };
      const { version, offsetBytes, chain } = range.end;
      if (range.hasMore) page.cursor = `${version}.${offsetBytes}.${chain}`;
      if (range.tornBytes > 0) page.tornBytes = range.tornBytes;
      return page;
    });

  listSessions: SessionStore["listSessions"] = async ({ cursor, limit, signal } = {}) => {
    this.#begin(signal);
    const size = pageLimit(limit, sessionPageSizes, ContextCompilerError);
    try {
      const found: string[] = [];
      for (const sessionId of await this.#sessionIds()) {
        throwIfAborted(signal, ContextCompilerError);
        if (cursor !== undefined && sessionId <= cursor) continue;
        const first = await readSessionLog(this.#pathOf(sessionId), sessionId, { limit: 1 });
        if ((first?.events.length ?? 0) > 0) found.push(sessionId);
        if (found.length > size) break;
      }
      const page: SessionPage = { sessionIds: found.slice(0, size) };
      const last = page.sessionIds.at(-1);
      return found.length > size && last !== undefined ? { ...page, cursor: last } : page;
    } catch (error) {
      throw failed("The sessions can't be listed", error);
    }
  };

  deleteSession: SessionStore["deleteSession"] = (sessionId, { signal } = {}) =>
    this.#run(sessionId, signal, async () => {
      const writer = await this.#writerOf(sessionId, { isDamageIgnored: true });
      const isThere = writer.position.version > 0;
      await writer.log?.close();
      await rm(this.#statePathOf(sessionId), { force: true });
      await rm(this.#pathOf(sessionId), { force: true });
      this.#writers.delete(sessionId);
      await writer.lock.release();
      return isThere;
    });

  saveState: SessionStore["saveState"] = (sessionId, { key, json }, { signal } = {}) =>
    this.#run(sessionId, signal, async () => {
      requireStateKey(key);
      await this.#writerOf(sessionId);
      // Of a state that is damaged nothing is left to keep.
      const state = await this.#readState(sessionId).catch((error: unknown) => {
        if (isDamage(error)) return new Map<string, string>();
        throw error;
      });
      if (json === undefined) state.delete(key);
      else state.set(key, json);
      const text = JSON.stringify({
        format: "ccl-session-state",
        formatVersion: 1,
        entries: [...state],
      });
      const abort = signal === undefined ? {} : { signal };
      await writeFileDurable(this.#statePathOf(sessionId), text, {
        durability: this.#durability,
        ...abort,
      });
    });

  loadState: SessionStore["loadState"] = (sessionId, key, { signal } = {}) =>
    this.#run(sessionId, signal, async () => {
      requireStateKey(key);
      return (await this.#readState(sessionId)).get(key);
    });

  close = async (): Promise<void> => {
    this.#isClosed = true;
    await Promise.all(this.#queues.values());
    for (const { lock, log } of this.#writers.values()) {
      await log?.close();
      await lock.release();
    }
    this.#writers.clear();
  };

  #begin(signal: AbortSignal | undefined): void {
    throwIfAborted(signal, ContextCompilerError);
    if (this.#isClosed) throw new ContextCompilerError("closed", "The session store is closed.");
  }

  async #run<Value>(
    sessionId: string,
    signal: AbortSignal | undefined,
    call: () => Promise<Value>,
  ): Promise<Value> {
    this.#begin(signal);
    requireSessionId(sessionId);
    const before = this.#queues.get(sessionId) ?? Promise.resolve();
    const done = before.then(async () => {
      throwIfAborted(signal, ContextCompilerError);
      return call();
    });
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    this.#queues.set(sessionId, settled);
    try {
      return await done;
    } catch (error) {
      throwIfAborted(signal, ContextCompilerError);
      throw failed(`The files of session "${sessionId}" can't be used`, error);
    } finally {
      if (this.#queues.get(sessionId) === settled) this.#queues.delete(sessionId);
    }
  }

  async #writerOf(sessionId: string, { isDamageIgnored = false } = {}): Promise<Writer> {
    const held = this.#writers.get(sessionId);
    if (held !== undefined) return held;
    const lockPath = join(this.#folder, locksFolder, `${fileNameOf(sessionId)}.lock`);
    const lock = await acquireFileLock(lockPath, { waitMs: 0 }).catch((error: unknown) => {
      if (!NodeIoError.isInstance(error) || error.code !== "locked") throw error;
      const message = `Another writer holds session "${sessionId}" until it closes its store.`;
      throw new ContextCompilerError("conflict", message, { cause: error });
    });
    try {
      const position = await this.#endOf(sessionId, isDamageIgnored);
      const writer: Writer = { lock, log: undefined, position };
      this.#writers.set(sessionId, writer);
      return writer;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  async #endOf(sessionId: string, isDamageIgnored: boolean): Promise<LogPosition> {
    try {
      const range = await readSessionLog(this.#pathOf(sessionId), sessionId);
      return range?.end ?? { version: 0, offsetBytes: 0, chain: firstChain(sessionId) };
    } catch (error) {
      if (isDamage(error) && isDamageIgnored) return { version: 1, offsetBytes: 1, chain: "" };
      throw error;
    }
  }

  /** What a failed write left is found out by the next writer. */
  async #giveUp(sessionId: string, { lock, log }: Writer): Promise<void> {
    this.#writers.delete(sessionId);
    await log?.close().catch(() => undefined);
    await lock.release();
  }

  async #sessionIds(): Promise<string[]> {
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith(".jsonl"));
    const ids = names.map((name) => {
      const stem = name.slice(0, -".jsonl".length);
      return stem.startsWith("~") ? sessionOfLog(join(this.#folder, name)) : stem;
    });
    const known = (await Promise.all(ids)).filter((sessionId) => sessionId !== undefined);
    return known.filter((sessionId) => names.includes(`${fileNameOf(sessionId)}.jsonl`)).sort();
  }

  #pathOf(sessionId: string): string {
    return join(this.#folder, `${fileNameOf(sessionId)}.jsonl`);
  }

  #statePathOf(sessionId: string): string {
    return join(this.#folder, `${fileNameOf(sessionId)}.state.json`);
  }

  async #readState(sessionId: string): Promise<Map<string, string>> {
    const path = this.#statePathOf(sessionId);
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    });
    return text === undefined ? new Map() : parseState(text, path);
  }
}

function isDamage(error: unknown): boolean {
  return ContextCompilerError.isInstance(error) && error.code === "store_damaged";
}

function parseState(text: string, path: string): Map<string, string> {
  try {
    const { entries }: { entries?: unknown } = { ...JSON.parse(text) };
    if (Array.isArray(entries) && entries.every(isStateEntry)) return new Map(entries);
  } catch {
    // What is no JSON is damaged as well.
  }
  throw new ContextCompilerError("store_damaged", `"${path}" holds no state of a session.`, {
    details: { path },
  });
}

function isStateEntry(entry: unknown): entry is [string, string] {
  return (
    Array.isArray(entry) && entry.length === 2 && entry.every((item) => typeof item === "string")
  );
}

function positionOf(cursor: string): LogPosition {
  const [, version, offsetBytes, chain] =
    /^(\d{1,15})\.(\d{1,15})\.([0-9a-f]{32})$/.exec(cursor) ?? [];
  if (version === undefined || offsetBytes === undefined || chain === undefined) {
    throw new ContextCompilerError("invalid_options", "The cursor is none that this store gave.");
  }
  return { version: Number(version), offsetBytes: Number(offsetBytes), chain };
}
