import type { FinishReason, Issue, ModelUsage, ToolCall } from "@ccl/core";

import type { ArtifactSemantics, ArtifactUsage } from "../artifact/operation-artifact.ts";
import type { Hook, Trigger } from "../operation/operation-definition.ts";
import type {
  OperationErrorCode,
  OperationOutcome,
  SkippedReason,
} from "../operation/operation-outcome.ts";

/** How a run ended. */
export type RunStatus = "done" | "failed" | "aborted";

/** Where a failed run failed: before the main call, in it, or after it. */
export type FailedType = "before_barrier" | "main_llm" | "after_main_llm";

/**
 * Why the main call, or a run that was aborted, ended. `length`, `content_filter` and `tool_calls` are what the model
 * says; `completed` is its `stop`.
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

/** Why a run failed; bounded and masked. */
export interface FailedDetails {
  operationId?: string | undefined;
  errorCode?: OperationErrorCode | undefined;
  errorMessage?: string | undefined;
}

/** How an operation ended. */
export type OperationStatus = OperationOutcome["status"];

/** The record of one operation in one hook. Texts are bounded and masked. */
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
  /** Milliseconds since the epoch; absent where it never started. */
  startedAt?: number | undefined;
  finishedAt?: number | undefined;
  durationMs?: number | undefined;
  attempts?: number | undefined;
  /** True where it went on after the grace of an abort, and was left to itself. */
  detached?: boolean | undefined;
  /** What it gave after the abort, within the grace: dropped. */
  lateStatus?: OperationStatus | undefined;
  inputsSummary?: Record<string, unknown> | undefined;
  outputsSummary?: Record<string, unknown> | undefined;
}

/** One call of a main model. */
export interface MainLlmStep {
  /** `provider/model`. */
  model?: string | undefined;
  text?: string | undefined;
  /** As the model gave it; absent where the call failed or was aborted. */
  finishReason?: FinishReason | undefined;
  /** Calls that the model asked for; absent where there are none. */
  toolCalls?: readonly ToolCall[] | undefined;
  reasoning?: string | undefined;
  usage?: ModelUsage | undefined;
  /** The provider's id of the call. */
  requestId?: string | undefined;
  /** What the adapter left out of the request. */
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
  /** True where an abort cut the answer off; what there was of it is kept. */
  partial?: boolean | undefined;
  /** Of the last call. */
  text?: string | undefined;
  /** Of all calls together. */
  usage?: ModelUsage | undefined;
  /** Each call of a model, those before tool calls and those that failed among them; absent where none was begun. */
  steps?: readonly MainLlmStep[] | undefined;
}

/** What became of one effect of a finished operation. */
export interface CommittedEffect {
  type: string;
  tag?: string | undefined;
  /** Of a persisted artifact: the version that holds the value; the former one where nothing changed. */
  version?: number | undefined;
}

/** What became of the effects of one operation, all of them together. */
export interface CommitLogEntry {
  hook: Hook;
  operationId: string;
  /** `discarded`: the operation was done, but its hook did not come to its commit. */
  commitStatus: "committed" | "error" | "discarded";
  effects: CommittedEffect[];
  errorCode?: OperationErrorCode | undefined;
  errorMessage?: string | undefined;
}

/** A tag as a run has written it. */
export interface RunArtifact {
  tag: string;
  operationId: string;
  hook: Hook;
  persisted: boolean;
  usage: ArtifactUsage;
  semantics: ArtifactSemantics;
  /** Of a persisted one. */
  version?: number | undefined;
  /** Of a text: what it is written in. */
  contentType?: string | undefined;
  value: unknown;
}

/** All that is known of a run at its end. JSON. */
export interface RunResult {
  formatVersion: 1;
  runId: string;
  status: RunStatus;
  /** Present exactly where the run failed. */
  failedType?: FailedType | undefined;
  failedDetails?: FailedDetails | undefined;
  /** Of an aborted run: by whom. */
  finishReason?: RunFinishReason | undefined;
  /** Milliseconds since the epoch. */
  startedAt: number;
  finishedAt: number;
  durationMs: number;
  /** Each planned operation once, the hook before first, in commit order; left-out ones last in their hook. */
  operationRuns: OperationRun[];
  mainLlm: MainLlmRun;
  /** In the order in which effects were committed. */
  commitLog: CommitLogEntry[];
  /** What was committed, in commit order. */
  artifacts: RunArtifact[];
}
