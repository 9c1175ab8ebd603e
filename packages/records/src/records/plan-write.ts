import type { KeyValueCommit, KeyValueEntry } from "../key-value/key-value.ts";
import { RecordsError } from "../records-error.ts";
import type { ChangeOutcome, Lease, RecordChange } from "./records.ts";
import { entryKey, keyOf, parseKey, requireName } from "./stored-key.ts";
import { damagedError, noSum, sealed, sumOf, unsealed } from "./stored-text.ts";

/** Current texts of the keys that a write affects. */
type Stored = ReadonlyMap<string, string | undefined>;

/** A database step, and the outcomes of its changes. */
interface WritePlan extends KeyValueCommit {
  outcomes: ChangeOutcome[];
}

/** Returns the name that a change affects, and the key that contains its version. */
export function targetOf(change: RecordChange): { key: string; name: string; isLog: boolean } {
  const isLog = "append" in change || "removeLog" in change;
  const name =
    "put" in change
      ? change.put
      : "remove" in change
        ? change.remove
        : "append" in change
          ? change.append
          : change.removeLog;
  requireName(name);
  return { name, isLog, key: keyOf(isLog ? "log" : "record", name) };
}

/**
 * Plans the step that applies the changes to the stored data. Entries are written before the head that counts them and
 * removed after it, so that a log is complete after each write of a database without transactions.
 * @throws RecordsError `conflict`, `damaged` or `invalid_options`
 */
export function planWrite(
  changes: readonly RecordChange[],
  stored: Stored,
  lease: Lease | undefined,
): WritePlan {
  const writes: KeyValueEntry[] = [];
  const outcomes = changes.map((change) => {
    const { key, name, isLog } = targetOf(change);
    const isReplacing = !isLog && change.expectedVersion === undefined;
    const head = headOf(key, stored.get(key), `"${name}"`, isReplacing);
    requireVersion(name, head.version, change.expectedVersion);
    const next = textsOf(change, { key, name, head, isStored: stored.get(key) !== undefined });
    writes.push(...next.writes);
    return { before: head.version, after: next.version };
  });
  if (lease !== undefined) requireLease(lease, stored);
  return { checks: [...stored], writes, outcomes };
}

/** A version. For a log, also the checksum of its last entry. */
interface Head {
  version: number;
  rest: string;
}

/**
 * Parses the version from a key's text. Returns 0 if there is none, or if `isReplacing` and it is damaged.
 * @throws RecordsError `damaged`
 */
export function headOf(
  key: string,
  text: string | undefined,
  what: string,
  isReplacing?: boolean,
): Head {
  const [version, rest] = (text !== undefined && unsealed(key, text)) || [];
  if (version !== undefined && rest !== undefined) return { version: Number(version), rest };
  if (text === undefined || isReplacing === true) return { version: 0, rest: noSum };
  throw damagedError(`${what} is not what was written.`, { key, name: parseKey(key)?.name });
}

function requireVersion(name: string, version: number, expected: number | undefined): void {
  if (expected === undefined || expected === version) return;
  const isVersion = Number.isSafeInteger(expected) && expected >= 0;
  throw isVersion
    ? new RecordsError("conflict", `"${name}" has version ${version}, not ${expected}.`, {
        details: { name, expectedVersion: expected, actualVersion: version },
      })
    : new RecordsError("invalid_options", `expectedVersion is a count, not ${expected}.`);
}

function textsOf(
  change: RecordChange,
  { key, name, head, isStored }: { key: string; name: string; head: Head; isStored: boolean },
): { writes: KeyValueEntry[]; version: number } {
  if ("put" in change) {
    const version = head.version + 1;
    const text = sealed(key, `${version} ${jsonOf(change.value, name)}`);
    return { version, writes: [[key, text]] };
  }
  if ("append" in change) {
    const writes: KeyValueEntry[] = [];
    let { version, rest: last } = head;
    for (const entry of change.entries) {
      const at = entryKey(name, version);
      const text = sealed(at, `${last} ${jsonOf(entry, name)}`);
      writes.push([at, text]);
      last = sumOf(text);
      version += 1;
    }
    if (writes.length > 0) writes.push([key, sealed(key, `${version} ${last}`)]);
    return { version, writes };
  }
  const writes: KeyValueEntry[] = isStored ? [[key, undefined]] : [];
  const entries = "removeLog" in change ? head.version : 0;
  for (let at = 0; at < entries; at += 1) writes.push([entryKey(name, at), undefined]);
  return { version: 0, writes };
}

function jsonOf(value: unknown, name: string): string {
  let cause: unknown;
  try {
    requireJson(value);
    const json = JSON.stringify(value);
    if (json !== undefined) return json;
  } catch (error) {
    cause = error;
  }
  const problem = `The value of "${name}" cannot be written as JSON.`;
  throw new RecordsError("invalid_options", problem, { cause });
}

/** Rejects values that `JSON.stringify` would drop or change. Much faster than a replacer. */
function requireJson(value: unknown): void {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (typeof value !== "object") throw new TypeError(`JSON has no form for a ${typeof value}.`);
  if (Array.isArray(value)) for (const item of value) requireJson(item);
  else if ("toJSON" in value) return;
  else if (!isPlain(value)) throw new TypeError("JSON has no form for an object of a class.");
  else for (const key in value) if (value[key] !== undefined) requireJson(value[key]);
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function requireLease({ name, token }: Lease, stored: Stored): void {
  const key = keyOf("lease", name);
  const text = stored.get(key);
  if (text !== undefined && headOf(key, text, `The lease "${name}"`).version === token) return;
  throw new RecordsError("conflict", `Another holder has the lease "${name}".`, {
    details: { name },
  });
}
