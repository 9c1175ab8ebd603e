import type { FinishReason, Issue, ModelUsage, ToolCall } from "@ccl/core";

import type { ArtifactSemantics, ArtifactUsage } from "../artifact/operation-artifact.ts";
import type {
  Hook,
  OperationErrorCode,
  OperationFailure,
  OperationStatus,
  SkippedReason,
  Trigger,
} from "../operation/operation-definition.ts";

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

/** Phase that a run has reached. */
export type RunPhase =
  | "planning"
  | "before_main_llm"
  | "barrier"
  | "main_llm"
  | "after_main_llm"
  | "commit"
  | "finished";

/** Fields of every event. */
interface RunEventStamp {
  runId: string;
  chatId: string;
  branchId: string;
  userMessageId: string;
  trigger: Trigger;
  /** Counts from 1, without gaps, over the lifetime of the run. */
  seq: number;
  /** Starts at 1 and increases by one each time a worker resumes the run. */
  epoch: number;
  /** Milliseconds since the epoch. */
  ts: number;
}

/** The operation that an event is about. */
interface NamedOperation {
  operationId: string;
  operationName: string;
  hook: Hook;
}

/** An event without its stamp. */
export type RunEventBody =
  | { type: "run.started"; initiator?: string | undefined }
  | { type: "run.phase_changed"; phase: RunPhase; hook?: Hook | undefined }
  | (NamedOperation & {
      type: "operation.started";
      /** Counts from 1. Higher after a crash. */
      attempt: number;
    })
  /** The operation waits for an answer or until a time. Emitted once, however often the operation resumes. */
  | (NamedOperation & {
      type: "operation.waiting";
      question?: string | undefined;
      /** Milliseconds since the epoch. */
      untilMs?: number | undefined;
    })
  | (NamedOperation & {
      type: "operation.finished";
      status: OperationStatus;
      skippedReason?: SkippedReason | undefined;
      error?: OperationFailure | undefined;
      /** Absent if it never started. */
      startedAt?: number | undefined;
      finishedAt: number;
      attempts?: number | undefined;
      detached?: boolean | undefined;
    })
  /** After a crash the call starts again with a higher `attempt`. Text streamed before that is void. */
  | { type: "main_llm.started"; assistantVariantId: string; attempt: number }
  /**
   * `offset` is the number of UTF-16 code units of the answer before this text. It restarts at 0 after tool calls,
   * since text before them is not part of the answer.
   */
  | { type: "main_llm.delta"; assistantVariantId: string; text: string; offset: number }
  /** The model's reasoning, in pieces like those of `main_llm.delta`. */
  | { type: "main_llm.reasoning"; assistantVariantId: string; text: string; offset: number }
  | { type: "main_llm.tool_started"; callId: string; name: string; arguments: string }
  | { type: "main_llm.tool_finished"; callId: string; name: string; isError: boolean }
  | {
      type: "main_llm.finished";
      assistantVariantId: string;
      status: NonNullable<MainLlmRun["status"]>;
      finishReason: RunFinishReason;
      partial?: boolean | undefined;
      error?: OperationFailure | undefined;
    }
  /** An operation's write was committed. A write that changes nothing emits no event. The result contains the value. */
  | {
      type: "artifact.changed";
      operationId: string;
      hook: Hook;
      tag: string;
      persisted: boolean;
      usage: ArtifactUsage;
      /** Present if the artifact is persisted. */
      version?: number | undefined;
    }
  /** An operation has replaced the text that is displayed and sent. */
  | { type: "variant.selected"; operationId: string; hook: Hook; side: "user" | "assistant" }
  | {
      type: "run.finished";
      status: RunStatus;
      failedType?: FailedType | undefined;
      failedDetails?: FailedDetails | undefined;
      finishReason?: RunFinishReason | undefined;
      result: RunResult;
    };

/** One event of a run, as JSON. `(runId, seq)` identifies duplicates. */
export type RunEvent = RunEventStamp & RunEventBody;
