import type { ChatMessage, ToolCall } from "@ccl/core";

import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import type { OperationEffect } from "../effects/operation-effect.ts";

/** Where an operation runs: before or after the one main model call. */
export type Hook = "before_main_llm" | "after_main_llm";

/** Why a run was started: for a new turn, or for another answer to the current one. */
export type Trigger = "generate" | "regenerate";

/** The built-in kinds. */
export type BuiltinKind =
  | "llm"
  | "template"
  | "rag"
  | "tool"
  | "compute"
  | "transform"
  | "guard"
  | "wait";

/** A built-in or custom kind. */
export type OperationKind = BuiltinKind | (string & {});

/** Defines an operation: its identity, and what it may do. */
export interface OperationDefinition {
  /** Stable id, such as `builtin:world_state_update`. */
  operationId: string;
  kind: OperationKind;
  /** Display name. Events contain it unchanged. */
  name: string;
  description?: string | undefined;
  /** The one tag that it writes, unless `params.writeArtifact.tag` sets another. If absent, it writes no artifact. */
  writesTag?: string | undefined;
  /** JSON Schema of `params`, or `kind` for the kind's own schema. Checked when a profile is saved. */
  paramsSchema?: object | "kind" | undefined;
}

/** Pattern of valid ids. Ids appear in events, step keys and messages. */
export const idPattern: RegExp = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

/** A condition without code on a guard's result or another artifact. All fields must hold. */
export interface OperationCondition {
  /** A tag, then keys of its value, such as `art.is_combat` or `art.flags.inCombat`. */
  ref: string;
  /** By default the value must be true. */
  equals?: string | number | boolean | null | undefined;
  /** If true, inverts the result. */
  not?: boolean | undefined;
}

/** How a profile configures an operation. Serialized with the profile, so it contains only JSON and no secrets. */
export interface OperationConfig {
  enabled: boolean;
  /** Unless this operation ends with `done`, the main call does not start (before it) or the run fails (after it). */
  required: boolean;
  /** An operation in both hooks runs as two instances. */
  hooks: Hook[];
  /** Defaults to both. */
  triggers?: Trigger[] | undefined;
  /** Any finite number. Smaller comes first. Ties are sorted by `operationId` in code units. */
  order: number;
  /** Operations of the same hook that must be `done` before this one starts. */
  dependsOn?: string[] | undefined;
  /**
   * Skips the operation with `condition_false` unless all of these hold. They may name tags that dependencies write.
   */
  when?: OperationCondition[] | undefined;
  /** Runs once per this many turns or (estimated) tokens of new history. Otherwise skipped with `not_due`. */
  every?: { turns: number } | { tokens: number } | undefined;
  /** Parameters of the kind. */
  params: Record<string, unknown>;
  /** Keeps prompts and answers in the summary, truncated and redacted. */
  debug?: { enabled?: boolean | undefined } | undefined;
}

/** Error codes of an operation or a run. Closed within a major version. */
export type OperationErrorCode =
  | "timeout"
  | "rate_limited"
  | "provider_error"
  | "output_parse_error"
  | "template_render_error"
  | "budget_exceeded"
  | "policy_error"
  | "validation_error"
  | "artifact_conflict"
  | "dependency_failed"
  | "idempotency_conflict"
  | "internal_error"
  /** For a run: several workers in a row died while executing it. */
  | "worker_lost";

/** An error that is safe to show: truncated and masked. */
export interface OperationFailure {
  code: OperationErrorCode;
  message: string;
  /** Any JSON value. The engine truncates it to 2,048 characters and masks it. */
  details?: unknown;
}

/** Why an operation was skipped. */
export type SkippedReason =
  | "disabled"
  | "trigger_mismatch"
  | "condition_false"
  | "not_due"
  | "dependency_failed"
  | "policy"
  | (string & {});

/** How an operation ended. */
export type OperationStatus = "done" | "skipped" | "error" | "aborted";

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
