import type { ArtifactUsage } from "../artifact/operation-artifact.ts";
import type { Hook, Trigger } from "../operation/operation-definition.ts";
import type { OperationErrorCode, SkippedReason } from "../operation/operation-outcome.ts";
import type {
  FailedDetails,
  FailedType,
  MainLlmRun,
  OperationStatus,
  RunFinishReason,
  RunResult,
  RunStatus,
} from "../run/run-result.ts";

/** Where a run is. */
export type RunPhase =
  | "planning"
  | "before_main_llm"
  | "barrier"
  | "main_llm"
  | "after_main_llm"
  | "commit"
  | "finished";

/** An error as events show it: bounded, masked. */
export interface EventError {
  code: OperationErrorCode;
  message: string;
  details?: unknown;
}

/** What every event carries. */
interface RunEventStamp {
  runId: string;
  chatId: string;
  branchId: string;
  userMessageId: string;
  trigger: Trigger;
  /** From 1, without gaps, for the whole life of the run. */
  seq: number;
  /** 1, and one more each time a worker takes the run up again. */
  epoch: number;
  /** Milliseconds since the epoch. */
  ts: number;
}

/** What happened, without its stamp. */
export type RunEventBody =
  | { type: "run.started"; initiator?: string | undefined }
  | { type: "run.phase_changed"; phase: RunPhase; hook?: Hook | undefined }
  | {
      type: "operation.started";
      operationId: string;
      operationName: string;
      hook: Hook;
      /** From 1; higher after a crash. */
      attempt: number;
    }
  /** It waits for an answer, or for a time; once for an operation, however often it resumes. */
  | {
      type: "operation.waiting";
      operationId: string;
      operationName: string;
      hook: Hook;
      question?: string | undefined;
      /** Milliseconds since the epoch. */
      untilMs?: number | undefined;
    }
  | {
      type: "operation.finished";
      operationId: string;
      operationName: string;
      hook: Hook;
      status: OperationStatus;
      skippedReason?: SkippedReason | undefined;
      error?: EventError | undefined;
      /** Absent where it never started. */
      startedAt?: number | undefined;
      finishedAt: number;
      attempts?: number | undefined;
      detached?: boolean | undefined;
    }
  /** `attempt` is higher after a crash, when the call starts again: what was streamed before is void. */
  | { type: "main_llm.started"; assistantVariantId: string; attempt: number }
  /** `offset`: how many UTF-16 code units of the answer came before; 0 again after tool calls, whose text is none of it. */
  | { type: "main_llm.delta"; assistantVariantId: string; text: string; offset: number }
  /** What the model thinks, as `main_llm.delta`. */
  | { type: "main_llm.reasoning"; assistantVariantId: string; text: string; offset: number }
  | { type: "main_llm.tool_started"; callId: string; name: string; arguments: string }
  | { type: "main_llm.tool_finished"; callId: string; name: string; isError: boolean }
  | {
      type: "main_llm.finished";
      assistantVariantId: string;
      status: NonNullable<MainLlmRun["status"]>;
      finishReason: RunFinishReason;
      partial?: boolean | undefined;
      error?: EventError | undefined;
    }
  /** An operation's write is committed; one that changes nothing is not announced. The value is in the result. */
  | {
      type: "artifact.changed";
      operationId: string;
      hook: Hook;
      tag: string;
      persisted: boolean;
      usage: ArtifactUsage;
      /** Of a persisted one. */
      version?: number | undefined;
    }
  /** An operation has replaced the text that is shown and sent. */
  | { type: "variant.selected"; operationId: string; hook: Hook; side: "user" | "assistant" }
  | {
      type: "run.finished";
      status: RunStatus;
      failedType?: FailedType | undefined;
      failedDetails?: FailedDetails | undefined;
      finishReason?: RunFinishReason | undefined;
      result: RunResult;
    };

/** One thing that happened in a run. JSON; `(runId, seq)` identifies duplicates. */
export type RunEvent = RunEventStamp & RunEventBody;
