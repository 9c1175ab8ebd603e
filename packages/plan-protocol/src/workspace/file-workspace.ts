import type { Result } from "@ccl/core";

import type { ParsedEdits, ParseEditsOptions } from "../any-format/parse-edits.ts";
import type {
  Abortable,
  CheckOptions,
  CheckOutcome,
  PlanCheck,
  PlanWorkspace,
} from "./plan-workspace.ts";

/** A transaction's state. `unfinished`: it is running, or its process has ended, in which case `recover` undoes it. */
type TransactionStatus = "committed" | "rolled_back" | "unfinished";

/** A transaction that has a journal in the workspace. */
export interface TransactionRecord {
  transactionId: string;
  /** When it began, in milliseconds since the epoch. */
  timeMs: number;
  status: TransactionStatus;
  /** In the order of the changes, with parent folders that were created. */
  paths: string[];
  /**
   * Paths that a rollback left alone because someone else had changed them. The journal's folder keeps their old files.
   */
  keptPaths: string[];
  /** Paths that a rollback restored although checks had written there. The journal's folder keeps what they wrote. */
  writtenPaths: string[];
  /** Why it was rolled back, as a sentence, if a check or another failure caused it. */
  why?: string | undefined;
}

/** A transaction that was rolled back. */
export interface RolledBackPlan {
  transactionId: string;
  /** Paths that were restored. */
  paths: string[];
}

/** What `recover` did with a transaction whose process had ended. */
export interface RecoveredTransaction extends RolledBackPlan {
  /** `discarded`: it had not changed anything yet. */
  outcome: "rolled_back" | "discarded";
  /** Paths that were left alone because someone else had changed them. */
  keptPaths: string[];
  /**
   * Paths that were restored although something was written there while checks ran. The journal's folder keeps that
   * text.
   */
  writtenPaths: string[];
}

/** Result of `prune`: transaction ids, oldest first. */
export interface PrunedTransactions {
  /** Transactions that can no longer be rolled back. */
  removed: string[];
  /**
   * Kept despite `keep`: unfinished transactions, and those with old files of paths that a rollback had to leave alone.
   */
  needed: string[];
}

/** A folder whose files plans are applied to. Each apply is a transaction that can be undone. */
export interface FileWorkspace extends PlanWorkspace {
  /** The real path of the root. */
  readonly root: string;
  /**
   * Ids of transactions that were running or left unfinished when the workspace was opened. `recover` undoes the
   * latter.
   */
  readonly unfinished: readonly string[];
  /** `parseEdits` on the files that this workspace has read, with its policy and limits. Reads no further files. */
  propose(
    answer: string,
    options?: Pick<ParseEditsOptions, "mode" | "version" | "finishReason">,
  ): Result<ParsedEdits>;
  /**
   * Rolls a committed transaction back: the same bytes, modes and times. `CONCURRENT_EDIT` or `ERR_NOT_EMPTY`, and no
   * change, if something was changed since. `PATH_NOT_FOUND` if the id has no journal.
   */
  rollback(transactionId: string, options?: Abortable): Promise<Result<RolledBackPlan>>;
  /**
   * Runs checks on the current files, without a comparison.
   * @throws PlanProtocolError `invalid_input` for a command that cannot be started, `aborted`
   */
  check(checks: readonly PlanCheck[], options?: CheckOptions): Promise<CheckOutcome[]>;
  /**
   * Undoes transactions whose process ended before they were finished, oldest last. Until then `apply` returns
   * `RECOVERY_REQUIRED`.
   */
  recover(options?: Abortable): Promise<RecoveredTransaction[]>;
  /**
   * The unified diff that a transaction applied, also after a rollback. Undefined without a journal, or if an older
   * version wrote it.
   */
  diff(transactionId: string): Promise<string | undefined>;
  /** Lists the transactions that have a journal, oldest first. */
  transactions(options?: Abortable): Promise<TransactionRecord[]>;
  /**
   * Removes journals of finished transactions, oldest first, until `keep` are left. Nothing else removes them, and
   * each holds the files that it replaced.
   */
  prune(options: { keep: number } & Abortable): Promise<PrunedTransactions>;
  /** Waits for running calls. Further calls throw `workspace_closed`. */
  close(): Promise<void>;
}
