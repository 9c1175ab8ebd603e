import type { ChatMessage, Part, ToolCall } from "@ccl/core";
import { withoutUndefined } from "@ccl/core/json";

import type { TurnEffect } from "../effects/operation-effect.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type {
  AssistantVariant,
  KeptWrite,
  OperationTurnEffects,
  TurnCommit,
  TurnOutcome,
  VariantState,
} from "./chat-store.ts";

/** One of several texts of a message. */
export interface StoredVariant {
  variantId: string;
  content: string | Part[];
  /** True if an abort cut it off. */
  partial?: boolean | undefined;
  /** Tool calls that the model requested in this answer. */
  toolCalls?: readonly ToolCall[] | undefined;
  /** Tool calls before this answer, with their results. They precede it in later prompts. */
  messages?: readonly ChatMessage[] | undefined;
  /** The model's reasoning before this answer. */
  reasoning?: string | undefined;
  blocks?: unknown[] | undefined;
  meta?: Record<string, unknown> | undefined;
  /** Present if a run with a profile produced the answer. */
  state?: VariantState | undefined;
}

/** A user message and the answers to it, and which of their variants are selected. */
export interface StoredTurn {
  userMessageId: string;
  userVariants: StoredVariant[];
  selectedUser: number;
  assistantVariants: StoredVariant[];
  /** Undefined before the first answer. */
  selectedAssistant?: number | undefined;
  /** State of the last run that wrote something but produced no answer. Used while the turn has no answer. */
  state?: VariantState | undefined;
}

/** The state after the turn as it is shown. */
export function shownState({
  assistantVariants,
  selectedAssistant,
  state,
}: StoredTurn): VariantState | undefined {
  return selectedAssistant === undefined ? state : assistantVariants[selectedAssistant]?.state;
}

/** Stores an answer and selects it. Replaces the answer if it is already there. Returns its index. */
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

/** An answer as messages of the history, after its tool calls. None for an empty answer. */
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

/** The history of turns as they are shown. The last one is without its answer. */
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
 * Where a history begins that holds `maxTurns` turns or more up to a position. The start moves by whole windows only.
 */
export function firstPosition(position: number, maxTurns: number | undefined): number {
  if (maxTurns === undefined) return 1;
  const window = Math.max(1, Math.ceil(maxTurns / 2));
  return Math.max(0, Math.floor((position - maxTurns) / window)) * window + 1;
}

/** What the effects of a commit are applied to. */
export interface Applying {
  /** `runId/hook/operationId` of the effects that were applied. */
  applied: Set<string>;
  turn: StoredTurn;
  commit: TurnCommit;
  keep(write: KeptWrite): void;
}

/** Applies the effects of each operation whose effects are not applied yet, and stores its write. */
export function commitOperations({ applied, turn, commit, keep }: Applying): TurnOutcome[] {
  const { runId, hook, writtenAt } = commit;
  const hasAnswer = turn.selectedAssistant !== undefined;
  const isPossible = ({ effects }: OperationTurnEffects): boolean =>
    hasAnswer || effects.every(({ type }) => type === "turn.user_variant");
  const isRefused = commit.operations.some(
    (operation) => operation.isRequired && !isPossible(operation),
  );
  const taken = isRefused ? [] : commit.operations.filter(isPossible);
  const state = stateAfter(commit, taken);
  for (const { operationId, effects, write } of taken) {
    const key = `${runId}/${hook}/${operationId}`;
    if (applied.has(key)) continue;
    applied.add(key);
    for (const [index, effect] of effects.entries())
      applyEffect(turn, effect, { variantId: effectVariantId(commit, operationId, index), state });
    if (write === undefined) continue;
    const { value, version } = write;
    keep({ runId, hook, operationId, writtenAt, version, write: value });
  }
  if (state !== undefined) moveState(turn, state);
  return commit.operations.map((operation): TurnOutcome => {
    const { operationId } = operation;
    const message = "The turn has no answer yet that the effect could change.";
    if (!isPossible(operation)) return { operationId, status: "failed", message };
    return { operationId, status: isRefused ? "discarded" : "applied" };
  });
}

/** The state of the run after these operations' writes. */
function stateAfter(
  { runId, state }: TurnCommit,
  operations: readonly OperationTurnEffects[],
): VariantState | undefined {
  const written = operations.flatMap(({ write }) =>
    write === undefined ? [] : [[write.value.tag, runId]],
  );
  return state && { ...state, heads: { ...state.heads, ...Object.fromEntries(written) } };
}

/** All answers of a run have its state. If the run has no answer, the turn holds it. */
function moveState(turn: StoredTurn, state: VariantState): void {
  const own = turn.assistantVariants.filter((variant) => variant.state?.runId === state.runId);
  for (const variant of own) variant.state = state;
  if (own.length === 0) turn.state = state;
}

/** Id of the variant that an operation's effect adds. A repeated effect has the same id. */
export function effectVariantId(
  { runId, hook }: { runId: string; hook: Hook },
  operationId: string,
  index: number,
): string {
  return `${runId}/${hook}/${operationId}/${index}`;
}

function applyEffect(
  turn: StoredTurn,
  effect: TurnEffect,
  { variantId, state }: Pick<StoredVariant, "variantId" | "state">,
): void {
  const answer = turn.assistantVariants[turn.selectedAssistant ?? -1];
  switch (effect.type) {
    case "turn.user_variant":
      turn.userVariants.push({ variantId, content: effect.content, meta: effect.meta });
      if (effect.select === true) turn.selectedUser = turn.userVariants.length - 1;
      return;
    case "turn.assistant_variant":
      turn.assistantVariants.push({ variantId, content: effect.content, meta: effect.meta, state });
      if (effect.select === true) turn.selectedAssistant = turn.assistantVariants.length - 1;
      return;
    case "turn.assistant_blocks":
      if (answer !== undefined) answer.blocks = effect.blocks;
      return;
    case "turn.assistant_meta":
      if (answer !== undefined) answer.meta = { ...answer.meta, ...effect.meta };
  }
}

/** Removes the states of answers if `isKept` finds no writes of their runs. */
export function keepStates(turn: StoredTurn, isKept: (runId: string) => boolean): void {
  const found = new Map<string, boolean>();
  for (const holder of [turn, ...turn.assistantVariants]) {
    const { runId } = holder.state ?? {};
    if (runId === undefined) continue;
    if (!found.has(runId)) found.set(runId, isKept(runId));
    if (found.get(runId) === false) delete holder.state;
  }
}
