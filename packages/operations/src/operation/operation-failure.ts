/** Error codes of an operation or a run. Closed within a major version. */
export type OperationErrorCode =
  | "timeout"
  | "rate_limited"
  | "provider_error"
  | "output_parse_error"
  | "template_render_error"
  | "budget_exceeded"
  | "policy_error"
  | "validation_error"
  | "artifact_conflict"
  | "dependency_failed"
  | "idempotency_conflict"
  | "internal_error"
  /** For a run: several workers in a row died while executing it. */
  | "worker_lost";

/** An error that is safe to show: truncated and masked. */
export interface OperationFailure {
  code: OperationErrorCode;
  message: string;
  /** Any JSON value. The engine truncates it to 2,048 characters and masks it. */
  details?: unknown;
}

/** Why an operation was skipped. */
export type SkippedReason =
  | "disabled"
  | "trigger_mismatch"
  | "condition_false"
  | "not_due"
  | "dependency_failed"
  | "policy"
  | (string & {});

/** How an operation ended. */
export type OperationStatus = "done" | "skipped" | "error" | "aborted";
