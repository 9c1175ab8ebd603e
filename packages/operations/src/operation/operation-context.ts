import type { ChatMessage, ToolCall } from "@ccl/core";

import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import type { OperationConfig } from "./operation-config.ts";
import type { Hook, OperationDefinition, Trigger } from "./operation-definition.ts";
import type { OperationFailure, OperationStatus, SkippedReason } from "./operation-failure.ts";

/** The main model's answer after the changes of the operation's dependencies. Frozen. */
export interface MainResult {
  /** Id of the selected variant. */
  assistantVariantId: string;
  text: string;
  finishReason: string;
  /** True if an abort cut the answer off. */
  partial?: boolean | undefined;
  /** Blocks of the selected variant. One block of its text unless a dependency has set others. */
  blocks?: readonly unknown[] | undefined;
  /** Meta that dependencies have set on the selected variant. */
  meta?: Readonly<Record<string, unknown>> | undefined;
  /** Tool calls that the model requested. Absent if there are none. */
  toolCalls?: readonly ToolCall[] | undefined;
  reasoning?: string | undefined;
}

/** What this hook may write, and how much is logged. */
interface OperationPolicy {
  /** Types of effects that are committed in this hook. Any other type is `policy_error`. */
  allowedEffects: readonly string[];
  maxSummaryChars: number;
}

/** What an operation waits for. */
export interface AnswerWait {
  /** For people. The event `operation.waiting` contains it. */
  question?: string | undefined;
  /** When the wait ends, in milliseconds since the epoch. */
  untilMs?: number | undefined;
}

/** Everything that an operation sees. Frozen. It contains nothing of operations that it does not depend on. */
export interface OperationContext {
  runId: string;
  /** Counts from 1. In a durable run the count continues after a crash. */
  attempt: number;
  trigger: Trigger;
  hook: Hook;
  chatId: string;
  branchId: string;
  userMessageId: string;
  /** Variant id of the present answer. Absent before the main call. */
  assistantVariantId?: string | undefined;
  definition: OperationDefinition;
  config: OperationConfig;
  /** The history up to and including the current user turn, after the changes of its dependencies. Oldest first. */
  chatHistory: readonly ChatMessage[];
  /** Before the main call: the prompt after the changes of its dependencies. */
  draftPrompt?: readonly ChatMessage[] | undefined;
  /** After the main call. */
  main?: MainResult | undefined;
  /** By tag. The session when the phase began, plus the writes of transitive dependencies in commit order. */
  artifacts: Readonly<Record<string, OperationArtifact>>;
  /** Variables of the turn's settings, for templates. */
  vars?: Readonly<Record<string, unknown>> | undefined;
  policy: OperationPolicy;
  /** Aborts with the run, or when the deadline passes. */
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  startedAtMs?: number | undefined;
  /** Waits for `engine.answer`, and continues to wait after a crash. Resolves with undefined when the time is up. */
  answer?: ((wait: AnswerWait) => Promise<{ value: unknown } | undefined>) | undefined;
  /** Milliseconds since the epoch. */
  deadlineAt?: number | undefined;
  /** A handler that retries by itself calls this after each failure that it retries, so that attempts are counted. */
  onRetry?: ((failure: OperationFailure) => void) | undefined;
}

/** What a handler reports about its work, for the record of the run. The engine truncates and masks it. */
export interface OperationDebug {
  inputsSummary?: Record<string, unknown> | undefined;
  outputsSummary?: Record<string, unknown> | undefined;
}

/** What a handler returns. Effects are dropped unless the status is `done`. */
export interface OperationOutcome {
  status: OperationStatus;
  effects?: OperationEffect[] | undefined;
  error?: OperationFailure | undefined;
  skippedReason?: SkippedReason | undefined;
  debug?: OperationDebug | undefined;
}

/** Does the work of an operation. It may throw: the engine records the error, and never passes it on raw. */
export type OperationHandler = (context: OperationContext) => Promise<OperationOutcome>;
