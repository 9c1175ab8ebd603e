import type { Result } from "@ccl/core";

import type { ParsedEdits, ParseEditsOptions } from "../any-format/parse-edits.ts";
import type {
  Abortable,
  CheckOptions,
  CheckOutcome,
  PlanCheck,
  PlanWorkspace,
} from "./plan-workspace.ts";

/** How far a transaction got. `unfinished`: it is under way, or the process that ran it has ended; `recover` undoes it then. */
type TransactionStatus = "committed" | "rolled_back" | "unfinished";

/** A transaction that the workspace has a journal of. */
export interface TransactionRecord {
  transactionId: string;
  /** When it began, in milliseconds since the epoch. */
  timeMs: number;
  status: TransactionStatus;
  /** In the order in which they were changed, folders created on the way included. */
  paths: string[];
  /** Paths that a rollback left as someone else had changed them; what stood there before lies in the journal's folder. */
  keptPaths: string[];
  /** Paths that a rollback put back although checks had written there; that text lies in the journal's folder. */
  writtenPaths: string[];
  /** Why it was rolled back, in a sentence, where a check or another failure was the reason. */
  why?: string | undefined;
}

/** A transaction that was undone. */
export interface RolledBackPlan {
  transactionId: string;
  /** Back to what they were. */
  paths: string[];
}

/** What `recover` did with a transaction whose process had ended. */
export interface RecoveredTransaction extends RolledBackPlan {
  /** `discarded`: it had not changed anything yet. */
  outcome: "rolled_back" | "discarded";
  /** Paths that were not touched because someone else had changed them since. */
  keptPaths: string[];
  /** Paths that were put back although something was written there while checks ran; that text lies in the journal's folder. */
  writtenPaths: string[];
}

/** What `prune` did; ids, oldest first. */
export interface PrunedTransactions {
  /** Can't be rolled back any more. */
  removed: string[];
  /** Stay whatever `keep` says: unfinished, or with old files of paths that a rollback had to leave alone. */
  needed: string[];
}

/** A folder of files that plans are applied to, each as a transaction that can be undone. */
export interface FileWorkspace extends PlanWorkspace {
  /** The real path of the root. */
  readonly root: string;
  /** Ids of transactions that were under way or left unfinished when the workspace was opened: `recover` undoes the latter. */
  readonly unfinished: readonly string[];
  /** `parseEdits` over what this workspace has read, by its policy and limits. Reads nothing further. */
  propose(
    answer: string,
    options?: Pick<ParseEditsOptions, "mode" | "formats" | "version" | "finishReason">,
  ): Result<ParsedEdits>;
  /**
   * Puts a committed transaction back: the same bytes, modes and times. `CONCURRENT_EDIT` or `ERR_NOT_EMPTY`, and nothing
   * is touched, where something was changed since; `PATH_NOT_FOUND` for an id that has no journal.
   */
  rollback(transactionId: string, options?: Abortable): Promise<Result<RolledBackPlan>>;
  /**
   * Runs checks on the files as they are; nothing is compared.
   * @throws PlanProtocolError `invalid_input` for a command that can't be started, `aborted`
   */
  check(checks: readonly PlanCheck[], options?: CheckOptions): Promise<CheckOutcome[]>;
  /** Undoes what processes that have ended left unfinished, oldest last. Until then `apply` answers `RECOVERY_REQUIRED`. */
  recover(options?: Abortable): Promise<RecoveredTransaction[]>;
  /** All transactions that there is a journal of, oldest first. */
  transactions(options?: Abortable): Promise<TransactionRecord[]>;
  /**
   * Removes the journals of the oldest transactions that are through, until `keep` of these are left. Nothing else removes
   * them: each keeps the files that it replaced.
   */
  prune(options: { keep: number } & Abortable): Promise<PrunedTransactions>;
  /** Waits for calls under way; further calls throw `workspace_closed`. */
  close(): Promise<void>;
}
