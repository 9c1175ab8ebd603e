import type { Part } from "@ccl/core";

import { maxFeedItems } from "../artifact/written-artifact.ts";
import type { TurnEffect } from "../effects/operation-effect.ts";
import {
  type ChatBranch,
  type KeptWrite,
  type StoredTurn,
  type StoredVariant,
  type TurnCommit,
  type VariantState,
  effectVariantId,
  shownState,
} from "../ports/chat-store.ts";
import { unknownTurn } from "../ports/conversation-store.ts";
import { type BranchRecord, type RecordEdit, chatNames } from "./stored-records.ts";

/** A turn as stored. */
export interface TurnRecord extends StoredTurn {
  /** Position in the branch, from 1. */
  position: number;
  /** `runId/hook/operationId` of applied effects. */
  applied: string[];
  /** Runs whose strings are part of an answer, by the answer's index. */
  runs?: Record<string, string> | undefined;
  /** For each run that wrote to the state: how many writes of each tag to read, counting back from this one. */
  wrote?: Record<string, Record<string, number>> | undefined;
}

/** What a turn contributes to the state. Stored so that it can be found without reading turns. */
export interface TurnState extends Pick<TurnRecord, "wrote" | "position"> {
  shown?: VariantState | undefined;
}

/** What a run wrote to the state at a turn. */
export interface RunWrites extends ChatBranch {
  writes: KeptWrite[];
}

/** Converts a stored turn to its public form. */
export function turnIn(record: TurnRecord): StoredTurn {
  const { position: _, applied: __, wrote: ___, runs: ____, ...turn } = record;
  return turn;
}

/** Reads a turn. @throws OperationsError `unknown_turn` */
export async function readTurn(
  edit: RecordEdit,
  at: ChatBranch & { userMessageId: string },
): Promise<TurnRecord> {
  const { userMessageId } = at;
  const [turn] = await edit.read<[TurnRecord]>(chatNames.turn(at, userMessageId));
  if (turn === undefined) throw unknownTurn(userMessageId);
  return turn;
}

/** Stores a turn and its contribution to the state. */
export function putTurn(edit: RecordEdit, branch: ChatBranch, turn: TurnRecord): void {
  const { position, wrote, userMessageId } = turn;
  edit.put(chatNames.turn(branch, userMessageId), turn);
  const shown = shownState(turn);
  if (shown === undefined && wrote === undefined) return;
  const state: TurnState = { position, wrote, shown };
  edit.put(chatNames.state(branch, position), state);
}

/** Adds a user message to the end of the branch. Returns the updated branch. */
export function addMessage(
  edit: RecordEdit,
  branch: BranchRecord,
  { userMessageId, content }: { userMessageId: string; content: string | Part[] },
): BranchRecord {
  const { next: position, turns } = branch;
  const userVariants = [{ variantId: userMessageId, content }];
  const rest = { userVariants, selectedUser: 0, assistantVariants: [], applied: [] };
  addTurn(edit, branch, { userMessageId, position, ...rest });
  return { ...branch, next: position + 1, turns: turns + 1 };
}

/** Applies what a run commits to its turn. Skips operations that were applied before. */
export async function applyCommit(
  edit: RecordEdit,
  turn: TurnRecord,
  commit: TurnCommit,
): Promise<void> {
  const { runId, hook, writtenAt, operations } = commit;
  const state = stateAfter(commit);
  const applied = new Set(turn.applied);
  const writes: KeptWrite[] = [];
  for (const { operationId, effects, write } of operations) {
    const key = `${runId}/${hook}/${operationId}`;
    if (applied.has(key)) continue;
    applied.add(key);
    for (const [index, effect] of effects.entries())
      applyEffect(turn, effect, { variantId: effectVariantId(commit, operationId, index), state });
    if (write === undefined) continue;
    const { value, version } = write;
    writes.push({ runId, hook, operationId, writtenAt, version, write: value });
  }
  turn.applied = [...applied];
  if (state !== undefined) moveState(turn, state);
  await addWrites(edit, commit, turn, writes);
}

/** Returns the run's state after its writes. */
function stateAfter({ runId, state, operations }: TurnCommit): VariantState | undefined {
  const written = operations.flatMap(({ write }) => (write ? [[write.value.tag, runId]] : []));
  return state && { ...state, heads: { ...state.heads, ...Object.fromEntries(written) } };
}

/** Gives all answers of a run its state. If the run has no answer, the turn holds the state. */
function moveState(turn: StoredTurn, state: VariantState): void {
  const own = turn.assistantVariants.filter((variant) => variant.state?.runId === state.runId);
  for (const variant of own) variant.state = state;
  if (own.length === 0) turn.state = state;
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

/** Stores a new turn. */
export function addTurn(edit: RecordEdit, branch: ChatBranch, turn: TurnRecord): void {
  edit.put(chatNames.place(branch, turn.position), turn.userMessageId);
  putTurn(edit, branch, turn);
}

const minReach = 64;
const defaultMaxItems = 20;

/** Adds writes to those of the same run. */
export async function addWrites(
  edit: RecordEdit,
  branch: ChatBranch,
  turn: TurnRecord,
  added: readonly KeptWrite[],
): Promise<void> {
  const [first] = added;
  if (first === undefined) return;
  const { runId } = first;
  const { chatId, branchId } = branch;
  const name = chatNames.wrote(runId, branch, turn.position);
  const [stored] = await edit.read<[RunWrites]>(name);
  const writes = [...(stored?.writes ?? []), ...added];
  edit.put(name, { chatId, branchId, writes } satisfies RunWrites);
  const reaches = writes.map(({ write }) => {
    const { append, retention, tag } = write;
    const items = 2 * (retention?.maxItems ?? defaultMaxItems);
    return [tag, append === true ? maxFeedItems : Math.max(minReach, items)] as const;
  });
  turn.wrote = { ...turn.wrote, [runId]: Object.fromEntries(reaches) };
}

/** Removes a turn and what its runs wrote to the state. */
export function removeTurn(edit: RecordEdit, branch: ChatBranch, turn: TurnRecord): void {
  edit.remove(chatNames.turn(branch, turn.userMessageId));
  edit.remove(chatNames.place(branch, turn.position));
  edit.remove(chatNames.state(branch, turn.position));
  for (const runId of Object.keys(turn.wrote ?? {}))
    edit.remove(chatNames.wrote(runId, branch, turn.position));
}
