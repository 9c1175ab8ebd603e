import type { ChatMessage, Part, ToolCall } from "@ccl/core";
import { withoutUndefined } from "@ccl/core/json";

import type { Hook } from "../operation/operation-definition.ts";
import type { AssistantVariant, VariantState } from "./chat-store.ts";

/** One of several texts of a message. */
export interface StoredVariant {
  variantId: string;
  content: string | Part[];
  /** True if an abort cut the text short. */
  partial?: boolean | undefined;
  /** Tool calls that the model requested in this answer. */
  toolCalls?: readonly ToolCall[] | undefined;
  /** Tool calls before this answer, and their results. They precede it in later prompts. */
  messages?: readonly ChatMessage[] | undefined;
  /** The model's reasoning before this answer. */
  reasoning?: string | undefined;
  blocks?: unknown[] | undefined;
  meta?: Record<string, unknown> | undefined;
  /** Present if a run with a profile produced the answer. */
  state?: VariantState | undefined;
}

/** A user message and its answers, with the selected variants. */
export interface StoredTurn {
  userMessageId: string;
  userVariants: StoredVariant[];
  selectedUser: number;
  assistantVariants: StoredVariant[];
  /** Undefined before the first answer. */
  selectedAssistant?: number | undefined;
  /** State of the last run that wrote something but produced no answer. Used while the turn has none. */
  state?: VariantState | undefined;
}

/** Returns the state after the turn as displayed. */
export function shownState({
  assistantVariants,
  selectedAssistant,
  state,
}: StoredTurn): VariantState | undefined {
  return selectedAssistant === undefined ? state : assistantVariants[selectedAssistant]?.state;
}

/** Stores an answer and selects it. Replaces it if it already exists. Returns its index. */
export function saveVariant(
  turn: StoredTurn,
  { assistantVariantId, text, partial, toolCalls, messages, reasoning, state }: AssistantVariant,
): number {
  const extras = { toolCalls, messages, reasoning, partial: partial || undefined, state };
  const variant = { variantId: assistantVariantId, content: text, ...withoutUndefined(extras) };
  const known = turn.assistantVariants.findIndex(
    ({ variantId }) => variantId === assistantVariantId,
  );
  const index = known < 0 ? turn.assistantVariants.length : known;
  turn.assistantVariants[index] = { ...turn.assistantVariants[index], ...variant };
  turn.selectedAssistant = index;
  return index;
}

/** Converts an answer to history messages, preceded by its tool calls. Returns an empty list for an empty answer. */
function answerMessages({
  variantId,
  content,
  toolCalls = [],
  messages = [],
}: Pick<StoredVariant, "variantId" | "content" | "toolCalls" | "messages">): ChatMessage[] {
  const answer: ChatMessage = { id: variantId, role: "assistant", content };
  if (toolCalls.length > 0) answer.toolCalls = [...toolCalls];
  return content.length === 0 && toolCalls.length === 0 ? [...messages] : [...messages, answer];
}

/** Returns the history of turns as displayed. Omits the answer of the last one. */
export function historyOf(turns: readonly StoredTurn[]): ChatMessage[] {
  const history: ChatMessage[] = [];
  for (const turn of turns) {
    const user = turn.userVariants[turn.selectedUser];
    if (user !== undefined && user.content.length > 0)
      history.push({ id: turn.userMessageId, role: "user", content: user.content });
    if (turn === turns.at(-1)) break;
    const answer = turn.assistantVariants[turn.selectedAssistant ?? -1];
    if (answer !== undefined) history.push(...answerMessages(answer));
  }
  return history;
}

/**
 * Returns where to start a history that contains `maxTurns` turns or more up to a position. The start only moves by
 * whole windows.
 */
export function firstPosition(position: number, maxTurns: number | undefined): number {
  if (maxTurns === undefined) return 1;
  const window = Math.max(1, Math.ceil(maxTurns / 2));
  return Math.max(0, Math.floor((position - maxTurns) / window)) * window + 1;
}

/** Returns the id of the variant that an operation's effect adds. A repeated effect has the same id. */
export function effectVariantId(
  { runId, hook }: { runId: string; hook: Hook },
  operationId: string,
  index: number,
): string {
  return `${runId}/${hook}/${operationId}/${index}`;
}

/** Removes the states of answers for which `isKept` finds no writes by their runs. */
export function keepStates(turn: StoredTurn, isKept: (runId: string) => boolean): void {
  const found = new Map<string, boolean>();
  for (const holder of [turn, ...turn.assistantVariants]) {
    const { runId } = holder.state ?? {};
    if (runId === undefined) continue;
    if (!found.has(runId)) found.set(runId, isKept(runId));
    if (found.get(runId) === false) delete holder.state;
  }
}
