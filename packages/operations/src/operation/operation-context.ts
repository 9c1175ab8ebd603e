import type { ChatMessage, ToolCall } from "@ccl/core";

import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import type { OperationConfig } from "./operation-config.ts";
import type { Hook, OperationDefinition, Trigger } from "./operation-definition.ts";
import type { OperationFailure, OperationOutcome } from "./operation-outcome.ts";

/** The main model's answer, as the operation's dependencies have left it. Frozen. */
export interface MainResult {
  /** Of the selected variant. */
  assistantVariantId: string;
  text: string;
  finishReason: string;
  /** True where the answer was cut off by an abort. */
  partial?: boolean | undefined;
  /** Of the selected variant; one block of its text unless a dependency has set others. */
  blocks?: readonly unknown[] | undefined;
  /** Meta that dependencies have set on the selected variant. */
  meta?: Readonly<Record<string, unknown>> | undefined;
  /** Calls that the model asked for; absent where there are none. */
  toolCalls?: readonly ToolCall[] | undefined;
  reasoning?: string | undefined;
}

/** What may be written in this hook, and how much is logged. */
export interface OperationPolicy {
  /** Types of effects that are committed in this hook; others are `policy_error`. */
  allowedEffects: readonly string[];
  maxSummaryChars: number;
}

/** What an operation waits for. */
export interface AnswerWait {
  /** For people; in the event `operation.waiting`. */
  question?: string | undefined;
  /** Milliseconds since the epoch: then it waits no more. */
  untilMs?: number | undefined;
}

/** All that an operation sees. Frozen; nothing of it is shared with operations that it does not depend on. */
export interface OperationContext {
  runId: string;
  /** From 1; a durable run counts on after a crash. */
  attempt: number;
  trigger: Trigger;
  hook: Hook;
  chatId: string;
  branchId: string;
  userMessageId: string;
  /** Of the answer that exists; absent before the main call. */
  assistantVariantId?: string | undefined;
  definition: OperationDefinition;
  config: OperationConfig;
  /** The history up to and with the current user turn, as its dependencies have left it; oldest first. */
  chatHistory: readonly ChatMessage[];
  /** Before the main call: the prompt as its dependencies have left it. */
  draftPrompt?: readonly ChatMessage[] | undefined;
  /** After the main call. */
  main?: MainResult | undefined;
  /** By tag: the session as the phase began, with what transitive dependencies have written in commit order. */
  artifacts: Readonly<Record<string, OperationArtifact>>;
  /** What the settings of the turn hold for templates. */
  vars?: Readonly<Record<string, unknown>> | undefined;
  policy: OperationPolicy;
  /** Aborted when the run is, or its deadline passes. */
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  startedAtMs?: number | undefined;
  /** Waits for `engine.answer`, through crashes; undefined once the time has come. */
  answer?: ((wait: AnswerWait) => Promise<{ value: unknown } | undefined>) | undefined;
  /** Milliseconds since the epoch. */
  deadlineAt?: number | undefined;
  /**
   * A handler that repeats its work by itself calls this after each failure that it repeats, so that the journal and the
   * result count the attempt.
   */
  onRetry?: ((failure: OperationFailure) => void) | undefined;
}

/** Does the work of an operation. May throw; what it throws is recorded as an error, never passed on raw. */
export type OperationHandler = (context: OperationContext) => Promise<OperationOutcome>;
