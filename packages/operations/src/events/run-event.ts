import type { ArtifactUsage } from "../artifact/operation-artifact.ts";
import type { Hook, Trigger } from "../operation/operation-definition.ts";
import type {
  FailedDetails,
  FailedType,
  MainLlmRun,
  RunFinishReason,
  RunResult,
  RunStatus,
} from "./run-result.ts";
import type {
  OperationFailure,
  OperationStatus,
  SkippedReason,
} from "../operation/operation-failure.ts";

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

/** An event without its stamp. */
export type RunEventBody =
  | { type: "run.started"; initiator?: string | undefined }
  | { type: "run.phase_changed"; phase: RunPhase; hook?: Hook | undefined }
  | {
      type: "operation.started";
      operationId: string;
      operationName: string;
      hook: Hook;
      /** Counts from 1. Higher after a crash. */
      attempt: number;
    }
  /** The operation waits for an answer or until a time. Emitted once, however often the operation resumes. */
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
      error?: OperationFailure | undefined;
      /** Absent if it never started. */
      startedAt?: number | undefined;
      finishedAt: number;
      attempts?: number | undefined;
      detached?: boolean | undefined;
    }
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
