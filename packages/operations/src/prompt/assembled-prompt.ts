import type { ChatMessage, TokenCounter, ToolDescription } from "@ccl/core";

import type { PromptInclusion } from "../artifact/operation-artifact.ts";
import type { PromptAnchor, PromptEffect } from "../effects/operation-effect.ts";

/** A tagged value with a prompt inclusion. */
export interface InclusionInput {
  tag: string;
  /** Order of the operation that wrote it. Smaller comes first. Ties are sorted by tag in code units. */
  order: number;
  inclusion: PromptInclusion;
  value: unknown;
}

/** An effect and its operation. */
export interface EffectInput {
  operationId: string;
  effect: PromptEffect;
}

/** The context window that the prompt must fit. */
export interface PromptTrim {
  counter: TokenCounter;
  /**
   * Token limit of the whole prompt as the model sees it, including framing, tools and markers. With an estimating
   * counter, a tenth of it is reserved.
   */
  budget: number;
  /** Counted in addition to the messages. */
  tools?: readonly ToolDescription[] | undefined;
}

/** Inputs of a prompt. */
export interface AssemblePromptOptions {
  /** The selected history, including the current user turn. Oldest first. */
  base: readonly ChatMessage[];
  inclusions: readonly InclusionInput[];
  /** In commit order. */
  effects: readonly EffectInput[];
  /** Counts `maxTokens` of inclusions. Defaults to core's estimate. */
  counter?: TokenCounter | undefined;
  /** The user message that started the turn. Defaults to the last one. */
  userMessageId?: string | undefined;
  /** Values by tag for templates of inclusions. Defaults to those of `inclusions`. */
  art?: Readonly<Record<string, unknown>> | undefined;
}

/** The source of an addition to the prompt. */
export type PromptContributor =
  | { kind: "inclusion"; tag: string }
  | { kind: "effect"; operationId: string; effectIndex: number };

/** A synthetic message and its intended position. */
export interface PromptInsert {
  contributor: PromptContributor;
  /** Path for issues about it. */
  path: (string | number)[];
  message: ChatMessage;
  anchor: PromptAnchor;
  place: "before" | "after" | "replace";
  onAnchorTrimmed?: "boundary" | "drop" | "fail" | undefined;
}

/** A change to the system prompt. */
export interface SystemUpdate extends Omit<
  Extract<PromptEffect, { type: "prompt.system_update" }>,
  "type" | "source"
> {
  contributor: PromptContributor;
}

/** Origin of one message of the prompt. */
export interface PromptOrigin {
  /** `base`: unchanged. `system`: with updates. `insert`: synthetic. */
  from: "base" | "system" | "insert";
  /** Id of the base message, or of the one that an insert replaces. */
  messageId?: string | undefined;
  /** Empty for an unchanged base message. */
  contributors: readonly PromptContributor[];
}

/** Base messages that were omitted. A tool call is always removed together with its results. */
interface TrimDecision {
  messageIds: (string | undefined)[];
  reason: "budget";
}

/** An update or replacement overridden by a later one. */
interface OverriddenUpdate {
  contributor: PromptContributor;
  by: PromptContributor;
}

/** An insert that was not placed at its anchor. */
export interface ClampedAnchor {
  contributor: PromptContributor;
  /** The anchor is too far back, trimmed, or inside a tool call with its results. Or there is nothing to replace. */
  reason: "beyond_start" | "anchor_trimmed" | "inside_tool_calls" | "nothing_to_replace";
}

/** An insert that was left out of the prompt. */
interface DroppedInsert {
  contributor: PromptContributor;
  /** `unrenderable`: an inclusion from an earlier turn failed to render. The run continues without it. */
  reason: "anchor_trimmed" | "empty" | "unrenderable";
}

/** An inclusion that was truncated to its `maxTokens`. */
interface ShortenedInclusion {
  tag: string;
  removedTokens: number;
}

/** Explains how the prompt was assembled. */
export interface PromptReport {
  /** One entry per message of the prompt, in the same order. */
  messages: PromptOrigin[];
  trimmed: TrimDecision[];
  overridden: OverriddenUpdate[];
  clamped: ClampedAnchor[];
  dropped: DroppedInsert[];
  shortened: ShortenedInclusion[];
  /** Base messages removed by a `replace`. */
  replaced: { messageIds: (string | undefined)[]; by: PromptContributor }[];
}

/** A prompt and its report. */
export interface AssembledPrompt {
  messages: ChatMessage[];
  /** Tokens of the whole prompt according to its counter. Present if the prompt was fitted to a window. */
  tokens?: number | undefined;
  explain: PromptReport;
}
