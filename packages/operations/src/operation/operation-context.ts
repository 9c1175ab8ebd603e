import type { ChatMessage, ToolCall } from "@ccl/core";

import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";
import type {
  Hook,
  OperationConfig,
  OperationDefinition,
  Trigger,
} from "./operation-definition.ts";
import type { OperationFailure, OperationStatus, SkippedReason } from "./operation-failure.ts";

/** The main model's answer, including changes by the operation's dependencies. Frozen. */
export interface MainResult {
  /** Id of the selected variant. */
  assistantVariantId: string;
  text: string;
  finishReason: string;
  /** True if an abort cut the answer short. */
  partial?: boolean | undefined;
  /** Blocks of the selected variant. A single block with its text unless a dependency has set others. */
  blocks?: readonly unknown[] | undefined;
  /** Metadata that dependencies have set on the selected variant. */
  meta?: Readonly<Record<string, unknown>> | undefined;
  /** Tool calls that the model requested. Absent if there are none. */
  toolCalls?: readonly ToolCall[] | undefined;
  reasoning?: string | undefined;
}

/** What this hook may write, and how much it logs. */
interface OperationPolicy {
  /** Effect types that this hook commits. Any other type is `policy_error`. */
  allowedEffects: readonly string[];
  maxSummaryChars: number;
}

/** What an operation waits for. */
export interface AnswerWait {
  /** Shown to people. Included in the event `operation.waiting`. */
  question?: string | undefined;
  /** When the wait ends, in milliseconds since the epoch. */
  untilMs?: number | undefined;
}

/** Everything that an operation sees. Frozen. Contains nothing from operations that it does not depend on. */
export interface OperationContext {
  runId: string;
  /** Counts from 1. In a durable run, the count continues after a crash. */
  attempt: number;
  trigger: Trigger;
  hook: Hook;
  chatId: string;
  branchId: string;
  userMessageId: string;
  /** Variant id of the current answer. Absent before the main call. */
  assistantVariantId?: string | undefined;
  definition: OperationDefinition;
  config: OperationConfig;
  /** The history up to and including the current user turn, with changes by dependencies. Oldest first. */
  chatHistory: readonly ChatMessage[];
  /** Present before the main call: the prompt, with changes by dependencies. */
  draftPrompt?: readonly ChatMessage[] | undefined;
  /** Present after the main call. */
  main?: MainResult | undefined;
  /**
   * Artifacts by tag: the session at the start of the phase, plus writes of transitive dependencies in commit order.
   */
  artifacts: Readonly<Record<string, OperationArtifact>>;
  /** Variables from the turn's settings, for templates. */
  vars?: Readonly<Record<string, unknown>> | undefined;
  policy: OperationPolicy;
  /** Aborts with the run, or at the deadline. */
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  startedAtMs?: number | undefined;
  /** Waits for `engine.answer`, and keeps waiting after a crash. Resolves with undefined after the timeout. */
  answer?: ((wait: AnswerWait) => Promise<{ value: unknown } | undefined>) | undefined;
  /** Milliseconds since the epoch. */
  deadlineAt?: number | undefined;
  /** Handlers that retry themselves call this after each failure that they retry, so that attempts are counted. */
  onRetry?: ((failure: OperationFailure) => void) | undefined;
}

/** What a handler reports about its work, for the run's record. The engine truncates and masks it. */
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

/** Performs an operation. May throw: the engine records the error, and never passes it on unmasked. */
export type OperationHandler = (context: OperationContext) => Promise<OperationOutcome>;
