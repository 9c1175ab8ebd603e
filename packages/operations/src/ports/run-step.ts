import type { ChatMessage, ModelUsage } from "@ccl/core";

import type { EventError } from "../events/run-event.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { SkippedReason } from "../operation/operation-outcome.ts";
import type {
  CommitLogEntry,
  MainLlmStep,
  OperationStatus,
  RunFinishReason,
} from "../run/run-result.ts";

/** How one attempt of an operation ended. */
export interface OperationStep {
  kind: "operation";
  hook: Hook;
  operationId: string;
  /** From 1. */
  attempt: number;
  status: OperationStatus;
  /** True: another attempt follows, and the operation has not ended. */
  willRetry?: boolean | undefined;
  /** True where its condition did not hold, or that of an operation it depends on: no failure of a required one. */
  isExempt?: boolean | undefined;
  skippedReason?: SkippedReason | undefined;
  error?: EventError | undefined;
  startedAt?: number | undefined;
  finishedAt: number;
  detached?: boolean | undefined;
  lateStatus?: OperationStatus | undefined;
  /** Of `done` only. */
  effects?: readonly OperationEffect[] | undefined;
  inputsSummary?: Record<string, unknown> | undefined;
  outputsSummary?: Record<string, unknown> | undefined;
}

/** How the main call ended. */
export interface MainStep {
  kind: "main_llm";
  attempt: number;
  /** False where there was no prompt to call it with. */
  executed: boolean;
  status: "done" | "error" | "aborted";
  finishReason: RunFinishReason;
  text: string;
  partial: boolean;
  error?: EventError | undefined;
  usage?: ModelUsage | undefined;
  /** Absent where no call was begun. */
  steps?: readonly MainLlmStep[] | undefined;
}

/** A message of the turn before its answer: tool calls of the model, and their results. */
export interface TurnMessageStep {
  kind: "turn_message";
  /** From 0. */
  position: number;
  message: ChatMessage;
  /** Of a message of the model: the calls that it took, failed ones of other models among them. */
  steps?: readonly MainLlmStep[] | undefined;
}

/** What a person has answered to an operation that waits. */
export interface AnswerStep {
  kind: "answer";
  hook: Hook;
  operationId: string;
  /** JSON. */
  value: unknown;
}

/** That a hook has been committed, or failed to be. */
interface CommitStep {
  kind: "commit";
  hook: Hook;
  entries: readonly CommitLogEntry[];
}

/** That the run is to end. */
interface StopStep {
  kind: "stop";
  cause: "user_abort" | "deadline";
  reason?: string | undefined;
}

/** That a worker has resumed the run. */
interface TakeOverStep {
  kind: "take_over";
  /** From 1. */
  number: number;
}

/** What a run has got done and never does again. JSON. */
export type RunStep =
  | OperationStep
  | MainStep
  | TurnMessageStep
  | AnswerStep
  | CommitStep
  | TakeOverStep
  | StopStep;

/** What a step is known by within its run; the same in every process. */
export function runStepKey(step: RunStep): string {
  switch (step.kind) {
    case "operation":
      return `operation/${step.hook}/${step.attempt}/${step.operationId}`;
    case "main_llm":
      return `main_llm/${step.attempt}`;
    case "turn_message":
      return `turn_message/${step.position}`;
    case "answer":
      return `answer/${step.hook}/${step.operationId}`;
    case "commit":
      return `commit/${step.hook}`;
    case "take_over":
      return `take_over/${step.number}`;
    case "stop":
      return "stop";
  }
}
