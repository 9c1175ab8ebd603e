import { throwIfAborted, untilAborted } from "@ccl/core/async";
import { withoutUndefined } from "@ccl/core/json";
import { pageLimit } from "@ccl/core/paging";
import type { KeyValue } from "../key-value/key-value.ts";
import { RecordsError, recordsErrorOf } from "../records-error.ts";
import { headOf, planWrite, targetOf } from "./plan-write.ts";
import { readEntries } from "./read-entries.ts";
import { readRange } from "./read-range.ts";
import type {
  ListOptions,
  RecordChange,
  Records,
  StoredRecord,
  Lease,
  LeaseRequest,
} from "./records.ts";
import { keyOf, parseKey, rangeOf, requireName, type StoredKind } from "./stored-key.ts";
import { sealed } from "./stored-text.ts";

const listSizes = { byDefault: 100, max: 1_000 };
const entrySizes = { byDefault: 1_000, max: 10_000 };
/**
 * Maximum number of attempts of a write without an expected version. It can collide with others between its read and
 * its step.
 */
const maxAttempts = 100;

/** Creates records on a database of sorted keys. */
export function createRecords(database: KeyValue): Records {
  const calls = createCalls(database);
  const list = async <Item>(
    kind: StoredKind,
    options: ListOptions,
    itemOf: (key: string, text: string, name: string) => Item,
  ): Promise<{ items: Item[]; cursor: string | undefined }> => {
    const size = pageLimit(options.limit, listSizes, RecordsError);
    const range = { ...rangeOf(kind, options), limit: size + 1 };
    const found = await readRange(database, range, options.signal);
    const names = found.map(([key]) => parseKey(key)?.name ?? "");
    const page = found.slice(0, size);
    const items = page.map(([key, text], at) => itemOf(key, text, names[at] ?? ""));
    return { items, cursor: found.length > size ? names[size - 1] : undefined };
  };
  const getMany: Records["getMany"] = (names, { signal } = {}) =>
    calls.run(signal, async () => {
      for (const name of names) requireName(name);
      const keys = names.map((name) => keyOf("record", name));
      const texts = keys.length === 0 ? [] : await database.get(keys);
      return names.map((name, at) => {
        const text = texts[at];
        return text === undefined ? undefined : recordOf(keys[at] ?? "", text, name);
      });
    });
  return {
    get: async (name, options) => (await getMany([name], options))[0],
    getMany,
    list: (options = {}) =>
      calls.run(options.signal, async () => {
        const { items, cursor } = await list("record", options, recordOf);
        return withoutUndefined({ records: items, cursor });
      }),
    listLogs: (options = {}) =>
      calls.run(options.signal, async () => {
        const logOf = (key: string, text: string, name: string) => ({
          name,
          version: headOf(key, text, `The log "${name}"`).version,
        });
        const { items, cursor } = await list("log", options, logOf);
        return withoutUndefined({ logs: items, cursor });
      }),
    readLog: (name, { from = 0, limit, signal } = {}) =>
      calls.run(signal, async () => {
        requireName(name);
        if (!Number.isSafeInteger(from) || from < 0)
          throw new RecordsError("invalid_options", `A position is a count, not ${from}.`);
        const size = pageLimit(limit, entrySizes, RecordsError);
        return readEntries(database, name, { from, limit: size, signal });
      }),
    write: (changes, { lease, signal } = {}) =>
      calls.run(signal, async () => {
        const keys = targetKeys(changes);
        if (lease !== undefined) keys.push(keyOf("lease", lease.name));
        return attempt(signal, async () => {
          const texts = keys.length === 0 ? [] : await database.get(keys);
          const stored = new Map(keys.map((key, at) => [key, texts[at]]));
          const { checks, writes, outcomes } = planWrite(changes, stored, lease);
          throwIfAborted(signal, RecordsError);
          const isDone = writes.length === 0 || (await database.commit({ checks, writes }));
          return isDone ? outcomes : undefined;
        });
      }),
    acquireLease: (name, request) =>
      calls.run(request.signal, async () => {
        requireName(name);
        return (await attempt(request.signal, () => acquireLease(database, name, request))).lease;
      }),
    close: () => calls.close(),
  };
}

function recordOf(key: string, text: string, name: string): StoredRecord {
  const { version, rest } = headOf(key, text, `The record "${name}"`);
  return { name, version, value: JSON.parse(rest) };
}

/** @throws RecordsError `invalid_options` for two changes of the same name */
function targetKeys(changes: readonly RecordChange[]): string[] {
  const keys = new Set<string>();
  for (const change of changes) {
    const { key, name } = targetOf(change);
    if (keys.has(key))
      throw new RecordsError("invalid_options", `Two changes are about "${name}": make them one.`);
    keys.add(key);
  }
  return [...keys];
}

async function attempt<Value>(
  signal: AbortSignal | undefined,
  once: () => Promise<Value | undefined>,
): Promise<Value> {
  for (let count = 0; count < maxAttempts; count += 1) {
    throwIfAborted(signal, RecordsError);
    const value = await once();
    if (value !== undefined) return value;
  }
  throw new RecordsError("conflict", `Other writers were first ${maxAttempts} times in a row.`);
}

/** Wraps all calls: rejects them after `close`, which waits for running calls, and converts errors to one class. */
function createCalls(database: KeyValue): {
  run<Value>(signal: AbortSignal | undefined, call: () => Promise<Value>): Promise<Value>;
  close(): Promise<void>;
} {
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  return {
    async run(signal, call) {
      throwIfAborted(signal, RecordsError);
      if (closing !== undefined) throw new RecordsError("closed", "The records are closed.");
      const done = call();
      const settled = done.catch(() => undefined).finally(() => underWay.delete(settled));
      underWay.add(settled);
      try {
        return await untilAborted(done, signal, RecordsError);
      } catch (error) {
        throw recordsErrorOf(error);
      }
    },
    close() {
      closing ??= Promise.all(underWay).then(() => database.close?.());
      return closing;
    },
  };
}

/** Returns the lease, or a result saying that another caller holds it. Undefined if a concurrent write interfered. */
async function acquireLease(
  database: KeyValue,
  name: string,
  { ttlMs, nowMs, held }: LeaseRequest,
): Promise<{ lease: Lease | undefined } | undefined> {
  if (!(ttlMs >= 0) || !Number.isFinite(nowMs + ttlMs))
    throw new RecordsError("invalid_options", `A lease lasts 0 ms or longer, not ${ttlMs}.`);
  const key = keyOf("lease", name);
  const [text] = await database.get([key]);
  const { version: token, rest } = headOf(key, text, `The lease "${name}"`);
  const isOwn = held !== undefined && held.token === token;
  const isTaken = held === undefined ? text !== undefined && Number(rest) > nowMs : !isOwn;
  if (isTaken) return { lease: undefined };
  const lease = { name, token: isOwn ? token : token + 1, untilMs: nowMs + ttlMs };
  const writes = [[key, sealed(key, `${lease.token} ${lease.untilMs}`)]] as const;
  const isDone = await database.commit({ checks: [[key, text]], writes });
  return isDone ? { lease } : undefined;
}
