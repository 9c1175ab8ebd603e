import type { ChatMessage, Part, ToolCall } from "@ccl/core";
import { withoutUndefined } from "@ccl/core/json";

import type { ArtifactWrite } from "../artifact/operation-artifact.ts";
import type { TurnEffect } from "../effects/operation-effect.ts";
import type { Hook } from "../operation/operation-definition.ts";

/** The last parameter of every store method. */
export interface StoreCall {
  signal?: AbortSignal | undefined;
}

/** Which page of a list to read. */
export interface PageRequest extends StoreCall {
  /** Cursor from the previous page. */
  cursor?: string | undefined;
  /** Defaults to 100, up to 1,000. */
  limit?: number | undefined;
}

/** An operation's persisted write, stored with the turn of its run. */
export interface KeptWrite {
  runId: string;
  hook: Hook;
  operationId: string;
  /** Milliseconds since the epoch. */
  writtenAt: number;
  version: number;
  /** The write as the operation returned it. An appending write contains only its own items. */
  write: ArtifactWrite;
}

/** The state at the start of an answer's run, and what the run wrote. */
export interface VariantState {
  runId: string;
  /** See `sessionOf`. */
  session: string;
  /** Maps each tag to the run whose write is the current value. */
  heads: Readonly<Record<string, string>>;
}

/** The stored state before a turn. */
export interface KeptState {
  /** Heads of the last earlier turn whose displayed answer has a state in the session. Empty if there is none. */
  heads: Readonly<Record<string, string>>;
  /**
   * Writes in the session by runs of displayed answers, oldest first. For each tag it contains the newest 64 or more,
   * and no fewer than twice what its retention keeps. For an appending tag it contains the newest 1,000.
   */
  shown: readonly KeptWrite[];
  /** Other writes that `heads` refers to. Those of deleted turns are missing. */
  hidden: readonly KeptWrite[];
}

/** A branch of a chat. */
export interface ChatBranch {
  chatId: string;
  branchId: string;
}

/** A turn and the history up to it. */
export interface ChatTurn {
  userMessageId: string;
  /** The turn's position in its branch, from 1. Deleted turns may leave gaps. */
  position: number;
  /**
   * The selected texts up to and including the turn's user message, oldest first. That message comes last and has its
   * id. Answers include their tool calls. Empty answers are omitted.
   */
  history: ChatMessage[];
}

/** Effects of one operation on a turn, and its write to the state. Applied together or not at all. */
export interface OperationTurnEffects {
  operationId: string;
  /** In the order that the operation returned them. */
  effects: readonly TurnEffect[];
  /** A persisted write, and the version that it creates. */
  write?: { value: ArtifactWrite; version: number } | undefined;
}

/** What one hook of a run changes in its turn and writes to the state. */
export interface TurnCommit extends ChatBranch {
  runId: string;
  hook: Hook;
  userMessageId: string;
  /** In commit order. */
  operations: readonly OperationTurnEffects[];
  /** Milliseconds since the epoch. */
  writtenAt: number;
  /** State of the run before this commit. Absent without a profile. Heads of the tags written move to this run. */
  state?: VariantState | undefined;
}

/** The main model's answer. Stored as a variant of the turn and selected. */
export interface AssistantVariant
  extends ChatBranch, Pick<StoredVariant, "toolCalls" | "messages" | "reasoning" | "state"> {
  runId: string;
  userMessageId: string;
  assistantVariantId: string;
  text: string;
  /** True if an abort cut the answer short. */
  partial: boolean;
}

/** What a run reads from its chat. `RunStore` adds the run's message, its answer and what it commits. */
export interface ChatStore {
  /**
   * Loads the turn of that message, or the branch's last turn. Returns undefined if there is none. With `maxTurns` the
   * history contains that many of the newest turns, or more. Its start rarely moves, so that providers can cache the
   * prompt.
   */
  loadTurn(
    turn: ChatBranch & { userMessageId?: string | undefined; maxTurns?: number | undefined },
    options?: StoreCall,
  ): Promise<ChatTurn | undefined>;
  /** Returns the stored state of a session before a turn. Without `before`, returns that of the whole branch. */
  keptState(
    at: ChatBranch & { session: string; before?: string | undefined },
    options?: StoreCall,
  ): Promise<KeptState>;
  /** Returns what a run wrote to the state, in any order. Empty once its turn is deleted. */
  writesOf(runId: string, options?: StoreCall): Promise<KeptWrite[]>;
}

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
