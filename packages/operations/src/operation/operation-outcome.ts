import type { OperationEffect } from "../effects/operation-effect.ts";

/** What can go wrong with an operation, or with a run. Closed for a major version. */
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
  /** Of a run: worker after worker has died of it. */
  | "worker_lost";

/** An error that is safe to show: bounded, masked. */
export interface OperationFailure {
  code: OperationErrorCode;
  message: string;
  /** JSON, cut to 2,048 characters and masked by the engine. */
  details?: unknown;
}

/** Why an operation was left out. */
export type SkippedReason =
  | "disabled"
  | "trigger_mismatch"
  | "condition_false"
  | "not_due"
  | "dependency_failed"
  | "policy"
  | (string & {});

/** What a handler says about its own work, for the record of the run; bounded and masked by the engine. */
export interface OperationDebug {
  inputsSummary?: Record<string, unknown> | undefined;
  outputsSummary?: Record<string, unknown> | undefined;
}

/** What a handler gives back. Effects of anything but `done` are dropped. */
export interface OperationOutcome {
  status: "done" | "skipped" | "error" | "aborted";
  effects?: OperationEffect[] | undefined;
  error?: OperationFailure | undefined;
  skippedReason?: SkippedReason | undefined;
  debug?: OperationDebug | undefined;
}
