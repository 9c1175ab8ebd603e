import type { Result } from "@ccl/core";

import type { ParsedEdits, ParseEditsOptions } from "../any-format/parse-edits.ts";
import type {
  Abortable,
  CheckOptions,
  CheckOutcome,
  PlanCheck,
  PlanWorkspace,
} from "./plan-workspace.ts";

/**
 * A transaction's state. `unfinished`: it is running, or its process has ended. In the latter case, `recover` undoes
 * it.
 */
type TransactionStatus = "committed" | "rolled_back" | "unfinished";

/** The record of an undo. */
export interface UndoRecord {
  /**
   * Paths that a rollback left alone because someone else had changed them. The journal's folder keeps their old
   * files.
   */
  keptPaths: string[];
  /**
   * Paths that a rollback restored although checks had written there. The journal's folder keeps what they wrote.
   */
  writtenPaths: string[];
  /** Why it was rolled back, as a sentence, if a check or other failure caused it. */
  why?: string | undefined;
}

/** A transaction with a journal in the workspace. */
export interface TransactionRecord extends UndoRecord {
  transactionId: string;
  /** Start time, in milliseconds since the epoch. */
  timeMs: number;
  status: TransactionStatus;
  /** In the order of the changes, including parent folders that were created. */
  paths: string[];
}

/** A transaction that was rolled back. */
export interface RolledBackPlan {
  transactionId: string;
  /** Paths that were restored. */
  paths: string[];
}

/** What `recover` did with a transaction whose process ended. */
export interface RecoveredTransaction extends RolledBackPlan, Omit<UndoRecord, "why"> {
  /** `discarded`: it had not changed anything. */
  outcome: "rolled_back" | "discarded";
}

/** Result of `prune`: transaction ids, oldest first. */
export interface PrunedTransactions {
  /** Transactions that can no longer be rolled back. */
  removed: string[];
  /**
   * Kept despite `keep`: unfinished transactions, and those holding old files for paths that a rollback had to leave
   * alone.
   */
  needed: string[];
}

/** A folder to whose files plans are applied. Each apply is a transaction that can be undone. */
export interface FileWorkspace extends PlanWorkspace {
  /** The real path of the root. */
  readonly root: string;
  /**
   * Ids of transactions that were running or unfinished when the workspace was opened. `recover` undoes the unfinished
   * ones.
   */
  readonly unfinished: readonly string[];
  /** Runs `parseEdits` on the files this workspace has read, with its policy and limits. Reads no further files. */
  propose(
    answer: string,
    options?: Pick<ParseEditsOptions, "mode" | "version" | "finishReason">,
  ): Result<ParsedEdits>;
  /**
   * Rolls back a committed transaction: restores the same bytes, modes and times. Returns `CONCURRENT_EDIT` or
   * `ERR_NOT_EMPTY`, without any change, if something changed since. Returns `PATH_NOT_FOUND` if the id has no journal.
   */
  rollback(transactionId: string, options?: Abortable): Promise<Result<RolledBackPlan>>;
  /**
   * Runs checks on the current files, without comparing.
   * @throws PlanProtocolError `invalid_input` for a command that cannot be started, `aborted`
   */
  check(checks: readonly PlanCheck[], options?: CheckOptions): Promise<CheckOutcome[]>;
  /**
   * Undoes transactions whose process ended before they finished, newest first. Until then, `apply` returns
   * `RECOVERY_REQUIRED`.
   */
  recover(options?: Abortable): Promise<RecoveredTransaction[]>;
  /**
   * Returns the unified diff that a transaction applied, even after a rollback. Undefined without a journal, or if an
   * older version wrote it.
   */
  diff(transactionId: string): Promise<string | undefined>;
  /** Lists the transactions that have a journal, oldest first. */
  transactions(options?: Abortable): Promise<TransactionRecord[]>;
  /**
   * Removes journals of finished transactions, oldest first, until `keep` remain. Nothing else removes them, and each
   * holds the files it replaced.
   */
  prune(options: { keep: number } & Abortable): Promise<PrunedTransactions>;
  /** Waits for running calls. Later calls throw `workspace_closed`. */
  close(): Promise<void>;
}
