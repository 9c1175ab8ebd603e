import type { ChatMessage, Part, ToolCall } from "@ccl/core";

import type { TurnEffect } from "../effects/operation-effect.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type {
  AssistantVariant,
  OperationTurnEffects,
  TurnCommit,
  TurnOutcome,
} from "./chat-store.ts";

/** One of several texts of a message. */
export interface StoredVariant {
  variantId: string;
  content: string | Part[];
  /** Cut off by an abort. */
  partial?: boolean | undefined;
  /** Calls that the model asked for in this answer. */
  toolCalls?: readonly ToolCall[] | undefined;
  /** Tool calls before this answer, with their results; they stand before it in later prompts. */
  messages?: readonly ChatMessage[] | undefined;
  /** What the model thought before this answer. */
  reasoning?: string | undefined;
  blocks?: unknown[] | undefined;
  meta?: Record<string, unknown> | undefined;
}

/** A user message and the answers to it, with which of their variants are selected. */
export interface StoredTurn {
  userMessageId: string;
  userVariants: StoredVariant[];
  selectedUser: number;
  assistantVariants: StoredVariant[];
  /** Undefined before the first answer. */
  selectedAssistant?: number | undefined;
}

/** Keeps an answer and selects it; one that is there already is replaced. */
export function saveVariant(
  turn: StoredTurn,
  { assistantVariantId, text, partial, toolCalls, messages, reasoning }: AssistantVariant,
): void {
  const variant: StoredVariant = { variantId: assistantVariantId, content: text };
  if (toolCalls !== undefined) variant.toolCalls = toolCalls;
  if (messages !== undefined) variant.messages = messages;
  if (reasoning !== undefined) variant.reasoning = reasoning;
  if (partial) variant.partial = true;
  const known = turn.assistantVariants.findIndex(
    ({ variantId }) => variantId === assistantVariantId,
  );
  if (known < 0) turn.assistantVariants.push(variant);
  else turn.assistantVariants[known] = { ...turn.assistantVariants[known], ...variant };
  turn.selectedAssistant = known < 0 ? turn.assistantVariants.length - 1 : known;
}

/** An answer as messages of the history, with the tool calls before it; none for one that says nothing. */
export function answerMessages({
  variantId,
  content,
  toolCalls = [],
  messages = [],
}: Pick<StoredVariant, "variantId" | "content" | "toolCalls" | "messages">): ChatMessage[] {
  const answer: ChatMessage = { id: variantId, role: "assistant", content };
  if (toolCalls.length > 0) answer.toolCalls = [...toolCalls];
  return content.length === 0 && toolCalls.length === 0 ? [...messages] : [...messages, answer];
}

/** Where a history begins that holds `maxTurns` turns or more up to a position: it moves by whole windows only. */
export function firstPosition(position: number, maxTurns: number | undefined): number {
  if (maxTurns === undefined) return 1;
  const window = Math.max(1, Math.ceil(maxTurns / 2));
  return Math.max(0, Math.floor((position - maxTurns) / window)) * window + 1;
}

/** What the effects of a commit are applied to. */
export interface Applying {
  /** `runId/hook/operationId` of what was applied. */
  applied: Set<string>;
  turn: StoredTurn;
  commit: TurnCommit;
}

/** Applies the effects of each operation that was not applied before. */
export function commitOperations({ applied, turn, commit }: Applying): TurnOutcome[] {
  const hasAnswer = turn.selectedAssistant !== undefined;
  const isPossible = ({ effects }: OperationTurnEffects): boolean =>
    hasAnswer || effects.every(({ type }) => type === "turn.user_variant");
  const isRefused = commit.operations.some(
    (operation) => operation.isRequired && !isPossible(operation),
  );
  return commit.operations.map((operation) => {
    const { operationId, effects } = operation;
    if (!isPossible(operation)) {
      return {
        operationId,
        status: "failed",
        message: "The turn has no answer yet that the effect could change.",
      };
    }
    if (isRefused) return { operationId, status: "discarded" };
    const key = `${commit.runId}/${commit.hook}/${operationId}`;
    if (!applied.has(key)) {
      for (const [index, effect] of effects.entries())
        applyEffect(turn, effect, effectVariantId(commit, operationId, index));
      applied.add(key);
    }
    return { operationId, status: "applied" };
  });
}

/** Id of the variant that an operation's effect adds; the same however often it is applied. */
export function effectVariantId(
  { runId, hook }: { runId: string; hook: Hook },
  operationId: string,
  index: number,
): string {
  return `${runId}/${hook}/${operationId}/${index}`;
}

function applyEffect(turn: StoredTurn, effect: TurnEffect, variantId: string): void {
  const answer = turn.assistantVariants[turn.selectedAssistant ?? -1];
  switch (effect.type) {
    case "turn.user_variant":
      turn.userVariants.push(variantOf(effect, variantId));
      if (effect.select === true) turn.selectedUser = turn.userVariants.length - 1;
      return;
    case "turn.assistant_variant":
      turn.assistantVariants.push(variantOf(effect, variantId));
      if (effect.select === true) turn.selectedAssistant = turn.assistantVariants.length - 1;
      return;
    case "turn.assistant_blocks":
      if (answer !== undefined) answer.blocks = effect.blocks;
      return;
    case "turn.assistant_meta":
      if (answer !== undefined) answer.meta = { ...answer.meta, ...effect.meta };
  }
}

function variantOf(
  effect: { content: string; meta?: Record<string, unknown> | undefined },
  variantId: string,
): StoredVariant {
  return { variantId, content: effect.content, meta: effect.meta };
}
