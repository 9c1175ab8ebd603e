import {
  type RecordChange,
  type Records,
  RecordsError,
  type StoredRecord,
  descendingId,
  recordName,
} from "@ccl/records";
import { SqlError } from "@ccl/sql";

import type { ChatBranch, StoreCall } from "../ports/chat-store.ts";
import type { AbortRequest, RunInput, RunLease } from "../ports/run-store.ts";
import { OperationsError, unknownRun } from "../operations-error.ts";

/** How many times in a row another writer may come first. */
const maxAttempts = 100;
const pageSize = 1_000;

interface RecordList {
  prefix: string;
  cursor?: string | undefined;
  limit?: number | undefined;
}

/**
 * Collects the reads and changes of one call. The changes are applied if no changed record that was read has changed
 * since.
 */
export class RecordEdit {
  readonly #records: Records;
  readonly #call: StoreCall | undefined;
  readonly #versions: Map<string, number> = new Map();
  readonly #changes: Map<string, RecordChange> = new Map();

  constructor(records: Records, call: StoreCall | undefined) {
    this.#records = records;
    this.#call = call;
  }

  /** Returns the values of these names, in the same order. Undefined for missing ones. */
  async read<Values extends unknown[]>(
    ...names: { [At in keyof Values]: string }
  ): Promise<{ [At in keyof Values]: Values[At] | undefined }> {
    const found = await this.readAll(names);
    return found as { [At in keyof Values]: Values[At] | undefined };
  }

  /** Returns the values of names of one kind. */
  async readAll<Value>(names: readonly string[]): Promise<(Value | undefined)[]> {
    const found: (StoredRecord | undefined)[] = [];
    for (let at = 0; at < names.length; at += pageSize)
      found.push(...(await this.#records.getMany(names.slice(at, at + pageSize), this.#call)));
    return found.map((record, at) => {
      this.#versions.set(names[at] ?? "", record?.version ?? 0);
      return record && valueIn<Value>(record);
    });
  }

  /** Returns a page of the records whose names start with the prefix, after the name `cursor`. */
  page(of: RecordList): Promise<{ records: StoredRecord[]; cursor?: string | undefined }> {
    return this.#records.list({ ...this.#call, ...of });
  }

  /** Returns the values of all such records, up to a limit. */
  async list<Value>({ prefix, cursor, limit = Infinity }: RecordList): Promise<Value[]> {
    const values: Value[] = [];
    let after = cursor;
    do {
      const size = Math.min(pageSize, limit - values.length);
      const page = await this.page({ prefix, cursor: after, limit: size });
      for (const record of page.records) values.push(valueIn(record));
      after = page.cursor;
    } while (after !== undefined && values.length < limit);
    return values;
  }

  /** Returns the entries of a log from an index on. */
  async readLog<Entry>(log: string, from: number): Promise<Entry[]> {
    const found: Entry[] = [];
    for (;;) {
      const at = from + found.length;
      const { entries, version } = await this.#records.readLog(log, { ...this.#call, from: at });
      for (const entry of entries) found.push(entry as Entry);
      if (entries.length === 0 || from + found.length >= version) return found;
    }
  }

  put(name: string, value: unknown): void {
    this.#changes.set(name, { put: name, value, expectedVersion: this.#versions.get(name) });
  }

  remove(name: string): void {
    this.#changes.set(name, { remove: name, expectedVersion: this.#versions.get(name) });
  }

  append(log: string, entries: readonly unknown[], expectedVersion: number): void {
    if (entries.length > 0)
      this.#changes.set(`log ${log}`, { append: log, entries, expectedVersion });
  }

  removeLog(log: string): void {
    this.#changes.set(`log ${log}`, { removeLog: log });
  }

  async apply(): Promise<void> {
    if (this.#changes.size > 0) await this.#records.write([...this.#changes.values()], this.#call);
  }
}

/** Applies the reads and changes of `work` in one step. @throws OperationsError */
export type EditRecords = <Value>(
  call: StoreCall | undefined,
  work: (edit: RecordEdit) => Promise<Value>,
) => Promise<Value>;

/** Returns the function that edits these records. Retries if another writer came first. */
export const editorOf =
  (records: Records): EditRecords =>
  (call, work) =>
    translated(async () => {
      for (let attempt = 1; ; attempt += 1) {
        const edit = new RecordEdit(records, call);
        try {
          const value = await work(edit);
          await edit.apply();
          return value;
        } catch (error) {
          const isConflict = RecordsError.isInstance(error) && error.code === "conflict";
          if (!isConflict || attempt >= maxAttempts) throw error;
        }
      }
    });

/** Converts failures to errors of this package. */
export async function translated<Value>(call: () => Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (error) {
    throw operationsErrorOf(error);
  }
}

/** Returns the value of a record that this package wrote. */
export function valueIn<Value>({ value }: StoredRecord): Value {
  return value as Value;
}

/** Database error codes that have the same meaning here. */
const codes = ["aborted", "closed", "damaged", "disk_full", "read_only"] as const;

/** Converts an error of the database or of records. Returns any other error as is. */
function operationsErrorOf(error: unknown): unknown {
  const cause = { cause: error };
  if (RecordsError.isInstance(error)) return new OperationsError(error.code, error.message, cause);
  if (!SqlError.isInstance(error)) return error;
  const code = codes.find((one) => one === error.code) ?? "unavailable";
  return new OperationsError(code, `The database failed. ${error.message}`, cause);
}

function nameOf(kind: string, ...ids: readonly string[]): string {
  return recordName(`operations/${kind}`, ...ids);
}

const maxDigits = 16;

/** Converts a count or a time to text that sorts like the number. */
function digitsOf(number: number): string {
  return String(Math.max(0, Math.floor(number))).padStart(maxDigits, "0");
}

/** Names of a run's records. */
export const runNames = {
  /** The run's lease and counts. */
  head: (runId: string): string => nameOf("run", runId),
  input: (runId: string): string => nameOf("input", runId),
  result: (runId: string): string => nameOf("result", runId),
  /** Log of the run's events and steps. */
  log: (runId: string): string => nameOf("log", runId),
  /** The run's original answer, once a user has edited it. */
  answer: (runId: string): string => nameOf("answer", runId),
  /** A step of the main call, until the run has ended. */
  main: (runId: string, stepKey: string): string => nameOf("main", runId, stepKey),
  /** Exists while the run is unfinished. */
  open: (runId: string): string => nameOf("open", runId),
  /** Lists all runs, highest ids first. */
  newest: (runId: string): string => `operations/newest/${descendingId(runId)}`,
  /** Lists ended runs, oldest first. */
  ended: (endedAt: number, runId: string): string => nameOf("ended", digitsOf(endedAt), runId),
  ofBranch: ({ chatId, branchId }: ChatBranch, runId: string): string =>
    nameOf("of", chatId, branchId, runId),
  request: ({ chatId, branchId }: ChatBranch, clientRequestId: string): string =>
    nameOf("request", chatId, branchId, clientRequestId),
};

/** Names of a branch's records. */
export const chatNames = {
  branch: ({ chatId, branchId }: ChatBranch): string => nameOf("branch", chatId, branchId),
  turn: ({ chatId, branchId }: ChatBranch, userMessageId: string): string =>
    nameOf("turn", chatId, branchId, userMessageId),
  /** Lists the turns in order. */
  place: ({ chatId, branchId }: ChatBranch, position: number): string =>
    nameOf("place", chatId, branchId, digitsOf(position)),
  /** The state that a turn displays, in turn order. */
  state: ({ chatId, branchId }: ChatBranch, position: number): string =>
    nameOf("state", chatId, branchId, digitsOf(position)),
  /** What a run wrote to the state at a turn. */
  wrote: (runId: string, { chatId, branchId }: ChatBranch, position: number): string =>
    nameOf("wrote", runId, chatId, branchId, digitsOf(position)),
};

/** Returns the prefix of names that start with these ids. */
export function prefixOf(kind: string, ...ids: readonly string[]): string {
  return nameOf(kind, ...ids, "");
}

/** The part of a run that changes during execution. */
export interface RunHead extends Pick<
  RunInput,
  "chatId" | "branchId" | "userMessageId" | "trigger"
> {
  /** The last lease granted. */
  lease: RunLease;
  /** True if that lease is still valid. */
  isHeld: boolean;
  lastSeq: number;
  lastEpoch: number;
  /** Number of log entries. */
  entries: number;
  /** Keys of the main call's steps. Each is stored as a record until the run has ended. */
  main?: string[] | undefined;
  /** Index of the variant that contains the run's strings. */
  answer?: number | undefined;
  abort?: AbortRequest | undefined;
  /** Milliseconds since the epoch. Present once the run has ended. */
  endedAt?: number | undefined;
  request?: { clientRequestId: string; keptUntilMs: number } | undefined;
}

/** Data shared by a branch. */
export interface BranchRecord extends ChatBranch {
  /** The highest fencing token granted for the branch, or used to write to it. */
  token: number;
  /** Position of the next turn. */
  next: number;
  turns: number;
  /** The unfinished run. */
  active?: string | undefined;
}

/** Creates a branch without turns or runs. */
export function newBranch({ chatId, branchId }: ChatBranch): BranchRecord {
  return { chatId, branchId, token: 0, next: 1, turns: 0 };
}

/** Reads a run's head. */
export async function findHead(edit: RecordEdit, runId: string): Promise<RunHead | undefined> {
  const [head] = await edit.read<[RunHead]>(runNames.head(runId));
  return head;
}

/** Reads the head of an existing run. @throws OperationsError `unknown_run` */
export async function readHead(edit: RecordEdit, runId: string): Promise<RunHead> {
  const head = await findHead(edit, runId);
  if (head === undefined) throw unknownRun(runId);
  return head;
}
