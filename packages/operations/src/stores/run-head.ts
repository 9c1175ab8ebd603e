import type { ChatBranch } from "../ports/chat-store.ts";
import type { AbortRequest, RunInput, RunLease } from "../ports/run-store.ts";
import { unknownRun } from "../operations-error.ts";
import type { RecordEdit } from "./change-records.ts";
import { runNames } from "./record-names.ts";

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
