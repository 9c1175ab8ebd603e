import type { FinishReason, Issue, ModelUsage, ToolCall } from "@ccl/core";

import type { ArtifactSemantics, ArtifactUsage } from "../artifact/operation-artifact.ts";
import type { Hook, Trigger } from "../operation/operation-definition.ts";
import type {
  OperationErrorCode,
  OperationStatus,
  SkippedReason,
} from "../operation/operation-failure.ts";

/** How a run ended. */
export type RunStatus = "done" | "failed" | "aborted";

/** Stage in which a run failed: before, during or after the main call. */
export type FailedType = "before_barrier" | "main_llm" | "after_main_llm";

/**
 * Why the main call, or an aborted run, ended. `length`, `content_filter` and `tool_calls` come from the model.
 * `completed` is the model's `stop`.
 */
export type RunFinishReason =
  | "completed"
  | "length"
  | "content_filter"
  | "tool_calls"
  | "user_abort"
  | "deadline"
  | "provider_error"
  | "rate_limited"
  | "timeout"
  | "policy_error"
  | "unknown";

/** Why a run failed. Truncated and masked. */
export interface FailedDetails {
  operationId?: string | undefined;
  errorCode?: OperationErrorCode | undefined;
  errorMessage?: string | undefined;
}

/** Record of one operation in one hook. Strings are truncated and masked. */
export interface OperationRun {
  operationId: string;
  hook: Hook;
  trigger: Trigger;
  required: boolean;
  status: OperationStatus;
  skippedReason?: SkippedReason | undefined;
  errorCode?: OperationErrorCode | undefined;
  errorMessage?: string | undefined;
  errorDetails?: unknown;
  /** Milliseconds since the epoch. Absent if it never started. */
  startedAt?: number | undefined;
  finishedAt?: number | undefined;
  durationMs?: number | undefined;
  attempts?: number | undefined;
  /** True if it was still running after the abort's grace period and was abandoned. */
  detached?: boolean | undefined;
  /** Status of a result returned during the abort's grace period. That result was dropped. */
  lateStatus?: OperationStatus | undefined;
  inputsSummary?: Record<string, unknown> | undefined;
  outputsSummary?: Record<string, unknown> | undefined;
}

/** One call of a main model. */
export interface MainLlmStep {
  /** `provider/model`. */
  model?: string | undefined;
  text?: string | undefined;
  /** The model's finish reason. Absent if the call failed or was aborted. */
  finishReason?: FinishReason | undefined;
  /** Tool calls that the model requested. Absent if there are none. */
  toolCalls?: readonly ToolCall[] | undefined;
  reasoning?: string | undefined;
  usage?: ModelUsage | undefined;
  /** The provider's id for the call. */
  requestId?: string | undefined;
  /** What the adapter omitted from the request. */
  warnings?: readonly Issue[] | undefined;
  /** Why the call failed. */
  error?: { code: OperationErrorCode; message: string } | undefined;
}

/** The main call of a run. */
export interface MainLlmRun {
  executed: boolean;
  status?: "done" | "error" | "aborted" | undefined;
  finishReason?: RunFinishReason | undefined;
  assistantVariantId?: string | undefined;
  /** True if an abort cut the answer short. The part that had arrived is kept. */
  partial?: boolean | undefined;
  /** Text of the last call. */
  text?: string | undefined;
  /** Total usage of all calls. */
  usage?: ModelUsage | undefined;
  /** Each model call, including failed calls and those before tool calls. Absent if no call was started. */
  steps?: readonly MainLlmStep[] | undefined;
}

/** Outcome of one effect of a finished operation. */
export interface CommittedEffect {
  type: string;
  tag?: string | undefined;
  /** For a persisted artifact, the version that holds the value. If nothing changed, the previous version. */
  version?: number | undefined;
}

/** Outcome of one operation's effects. They share one status. */
export interface CommitLogEntry {
  hook: Hook;
  operationId: string;
  /** `discarded`: the operation was done, but its hook was not committed. */
  commitStatus: "committed" | "error" | "discarded";
  effects: CommittedEffect[];
  errorCode?: OperationErrorCode | undefined;
  errorMessage?: string | undefined;
}

/** A tag that a run has written. */
export interface RunArtifact {
  tag: string;
  operationId: string;
  hook: Hook;
  persisted: boolean;
  usage: ArtifactUsage;
  semantics: ArtifactSemantics;
  /** Present if the artifact is persisted. */
  version?: number | undefined;
  /** Media type of a string value. */
  contentType?: string | undefined;
  value: unknown;
}

/** Everything about an ended run, as JSON. */
export interface RunResult {
  formatVersion: 1;
  runId: string;
  status: RunStatus;
  /** Present only if the run failed. */
  failedType?: FailedType | undefined;
  failedDetails?: FailedDetails | undefined;
  /** For an aborted run, who aborted it. */
  finishReason?: RunFinishReason | undefined;
  /** Milliseconds since the epoch. */
  startedAt: number;
  finishedAt: number;
  durationMs: number;
  /**
   * Each planned operation once, in commit order within each hook. Operations left out of the plan come last in their
   * hook.
   */
  operationRuns: OperationRun[];
  mainLlm: MainLlmRun;
  /** In commit order. */
  commitLog: CommitLogEntry[];
  /** Committed artifacts, in commit order. */
  artifacts: RunArtifact[];
}
