import type { ChatMessage, TokenCounter, ToolDescription } from "@ccl/core";

import type { PromptInclusion } from "../artifact/operation-artifact.ts";
import type { PromptEffect } from "../effects/operation-effect.ts";
import type { TemplateRenderer } from "../liquid/template-renderer.ts";

/** A tagged value that includes itself. */
export interface InclusionInput {
  tag: string;
  /** Of the operation that wrote it; smaller first, ties by tag in code units. */
  order: number;
  inclusion: PromptInclusion;
  value: unknown;
}

/** An effect with the operation that it comes from. */
export interface EffectInput {
  operationId: string;
  effect: PromptEffect;
}

/** The window that the prompt has to fit. */
export interface PromptTrim {
  counter: TokenCounter;
  /** Tokens of the whole prompt as the model sees it: framing, tools and markers included. */
  budget: number;
  /** How much of it synthetic messages and additions to the system prompt may take; default all. */
  insertBudget?: number | undefined;
  /** The share of both budgets that is kept back; default 0 under an exact counter and 0.1 under an estimate. */
  safetyMargin?: number | undefined;
  /** Counted with the messages. */
  tools?: readonly ToolDescription[] | undefined;
}

/** What a prompt is put together from. */
export interface AssemblePromptOptions {
  /** The selected history with the current user turn, oldest first. */
  base: readonly ChatMessage[];
  inclusions: readonly InclusionInput[];
  /** In commit order. */
  effects: readonly EffectInput[];
  /** For `maxTokens` of inclusions; default core's estimate. */
  counter?: TokenCounter | undefined;
  /** The message that the turn began with; default the last message of the user. */
  userMessageId?: string | undefined;
  /** Values by tag for the templates of inclusions; default those of `inclusions`. */
  art?: Readonly<Record<string, unknown>> | undefined;
  /** For the templates of inclusions; default one of the package. */
  renderer?: TemplateRenderer | undefined;
}

/** Who put something into the prompt. */
export type PromptContributor =
  | { kind: "inclusion"; tag: string }
  | { kind: "effect"; operationId: string; effectIndex: number };

/** Where one message of the prompt comes from. */
export interface PromptOrigin {
  /** `base` as it was, `system` with updates, `insert` synthetic. */
  from: "base" | "system" | "insert";
  /** Of a base message, or of the one that an insert replaces. */
  messageId?: string | undefined;
  /** Empty for what stood in the base as it is. */
  contributors: readonly PromptContributor[];
}

/** Base messages that were left out, a tool call always with its results. */
interface TrimDecision {
  messageIds: (string | undefined)[];
  reason: "budget";
}

/** An update or a replacement that a later one has undone. */
interface OverriddenUpdate {
  contributor: PromptContributor;
  by: PromptContributor;
}

/** An insert that does not stand where its anchor says. */
export interface ClampedAnchor {
  contributor: PromptContributor;
  /** Beyond the start; the message was cut off; between a tool call and its results; nothing to replace at the tail. */
  reason: "beyond_start" | "anchor_trimmed" | "inside_tool_calls" | "nothing_to_replace";
}

/** Something that is not in the prompt. */
interface DroppedInsert {
  contributor: PromptContributor;
  /** `unrenderable`: an inclusion that an earlier turn has left; a run goes on without it. */
  reason: "anchor_trimmed" | "empty" | "unrenderable";
}

/** An inclusion that was cut to its `maxTokens`. */
interface ShortenedInclusion {
  tag: string;
  removedTokens: number;
}

/** Why the prompt looks as it does. */
export interface PromptReport {
  /** One for each message of the prompt, in its order. */
  messages: PromptOrigin[];
  trimmed: TrimDecision[];
  overridden: OverriddenUpdate[];
  clamped: ClampedAnchor[];
  dropped: DroppedInsert[];
  shortened: ShortenedInclusion[];
  /** Base messages that a `replace` took out. */
  replaced: { messageIds: (string | undefined)[]; by: PromptContributor }[];
}

/** A prompt and why it looks so. */
export interface AssembledPrompt {
  messages: ChatMessage[];
  /** Only of a prompt that was fitted to a window: as its counter counts the whole. */
  tokens?: number | undefined;
  explain: PromptReport;
}
