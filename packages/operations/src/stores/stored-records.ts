import { descendingId, recordName } from "@ccl/records";

import type { ChatBranch } from "../ports/chat-store.ts";
import type { AbortRequest, RunInput, RunLease } from "../ports/run-store.ts";
import { unknownRun } from "../operations-error.ts";
import type { RecordEdit } from "./change-records.ts";

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
