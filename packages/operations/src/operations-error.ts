import { CclError } from "@ccl/core";

/**
 * `invalid_profile` and `invalid_options` carry `details.issues`. `unknown_*`: nothing is stored under that id.
 * `run_active`: the (chat, branch) already has the run `details.runId`. `idempotency_conflict`: the request id was used
 * with another payload. `conflict`: another writer came first. `stale_lease`: another worker has taken over the run, so
 * the write was rejected. `damaged`: the stored data differs from what was written. `unavailable`: a store failed in
 * another way, see `cause`.
 */
export type OperationsErrorCode =
  | "invalid_definition"
  | "duplicate_operation"
  | "invalid_profile"
  | "invalid_options"
  | "unknown_profile"
  | "unknown_run"
  | "unknown_turn"
  | "run_active"
  | "idempotency_conflict"
  | "conflict"
  | "stale_lease"
  | "damaged"
  | "disk_full"
  | "read_only"
  | "newer_format"
  | "unavailable"
  | "closed"
  | "aborted";

/** The error that this package throws. */
export class OperationsError extends CclError<OperationsErrorCode> {
  static override readonly brand: string = "OperationsError";
}

/** @throws OperationsError `invalid_options` */
export function refuse(message: string): never {
  throw new OperationsError("invalid_options", message);
}

/** Validates the event number that a page starts after. @throws OperationsError `invalid_options` */
export function pageStart(afterSeq: number = 0): number {
  if (Number.isSafeInteger(afterSeq) && afterSeq >= 0) return afterSeq;
  refuse(`afterSeq must be a whole number of 0 or more, not ${afterSeq}.`);
}

/** Creates the error for a run that is not in the store. */
export function unknownRun(runId: string): OperationsError {
  return new OperationsError("unknown_run", `There is no run ${JSON.stringify(runId)}.`);
}
