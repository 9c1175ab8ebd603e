import type { ChatMessage, ModelUsage } from "@ccl/core";

import type { OperationEffect } from "../effects/operation-effect.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { CommitLogEntry, MainLlmStep, RunFinishReason } from "../events/run-result.ts";
import type {
  OperationFailure,
  OperationStatus,
  SkippedReason,
} from "../operation/operation-failure.ts";

/** How one attempt of an operation ended. */
export interface OperationStep {
  kind: "operation";
  hook: Hook;
  operationId: string;
  /** Counts from 1. */
  attempt: number;
  status: OperationStatus;
  /** If true, another attempt follows, so the operation has not ended. */
  willRetry?: boolean | undefined;
  /** True if a condition skipped it, or one of its dependencies. This does not fail a required operation. */
  isExempt?: boolean | undefined;
  skippedReason?: SkippedReason | undefined;
  error?: OperationFailure | undefined;
  startedAt?: number | undefined;
  finishedAt: number;
  detached?: boolean | undefined;
  lateStatus?: OperationStatus | undefined;
  /** Present if the status is `done`. */
  effects?: readonly OperationEffect[] | undefined;
  inputsSummary?: Record<string, unknown> | undefined;
  outputsSummary?: Record<string, unknown> | undefined;
}

/** How the main call ended. */
export interface MainStep {
  kind: "main_llm";
  attempt: number;
  /** False if there was no prompt to send. */
  executed: boolean;
  status: "done" | "error" | "aborted";
  finishReason: RunFinishReason;
  text: string;
  partial: boolean;
  error?: OperationFailure | undefined;
  usage?: ModelUsage | undefined;
  /** Absent if no call was started. */
  steps?: readonly MainLlmStep[] | undefined;
}

/** A message in the turn before its answer: the model's tool calls, or a result. */
export interface TurnMessageStep {
  kind: "turn_message";
  /** Counts from 0. */
  position: number;
  message: ChatMessage;
  /** For a message of the model: the calls that produced it, including failed calls to other models. */
  steps?: readonly MainLlmStep[] | undefined;
}

/** A person's answer to a waiting operation. */
export interface AnswerStep {
  kind: "answer";
  hook: Hook;
  operationId: string;
  /** Any JSON value. */
  value: unknown;
}

/** A hook was committed, or its commit failed. */
interface CommitStep {
  kind: "commit";
  hook: Hook;
  entries: readonly CommitLogEntry[];
}

/** The run must end. */
interface StopStep {
  kind: "stop";
  cause: "user_abort" | "deadline";
  reason?: string | undefined;
}

/** A worker has resumed the run. */
interface TakeOverStep {
  kind: "take_over";
  /** Counts from 1. */
  number: number;
}

/** A completed unit of a run's work, which is never repeated. JSON. */
export type RunStep =
  | OperationStep
  | MainStep
  | TurnMessageStep
  | AnswerStep
  | CommitStep
  | TakeOverStep
  | StopStep;

/** Returns the key that identifies a step within its run. It is the same in every process. */
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
