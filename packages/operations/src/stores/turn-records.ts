import { maxFeedItems } from "../artifact/written-artifact.ts";
import { OperationsError } from "../operations-error.ts";
import type {
  ChatBranch,
  KeptWrite,
  NewUserMessage,
  TurnCommit,
  TurnOutcome,
  VariantState,
} from "../ports/chat-store.ts";
import { commitOperations, shownState, type StoredTurn } from "../ports/chat-turn.ts";
import { unknownTurn } from "../ports/conversation-store.ts";
import type { RecordEdit } from "./change-records.ts";
import { chatNames } from "./record-names.ts";
import { type BranchRecord, newBranch } from "./run-head.ts";

/** A turn as stored. */
export interface TurnRecord extends StoredTurn {
  /** In the branch, from 1. */
  position: number;
  /** `runId/hook/operationId` of the effects that were applied. */
  applied: string[];
  /** The runs whose texts are part of an answer, by its index. */
  runs?: Record<string, string> | undefined;
  /** By run that wrote to the state: how many writes of each tag to read, counted back from this one. */
  wrote?: Record<string, Record<string, number>> | undefined;
}

/** What a turn contributes to the state, so that it is found without reading turns. */
export interface TurnState extends Pick<TurnRecord, "wrote" | "position"> {
  shown?: VariantState | undefined;
}

/** What a run wrote to the state at a turn. */
export interface RunWrites extends ChatBranch {
  writes: KeptWrite[];
}

/** The turn as its readers know it. */
export function turnIn(record: TurnRecord): StoredTurn {
  const { position: _, applied: __, wrote: ___, runs: ____, ...turn } = record;
  return turn;
}

/** Reads a turn and its branch. @throws OperationsError `unknown_turn`, `stale_lease` */
export async function readTurn(
  edit: RecordEdit,
  at: ChatBranch & { userMessageId: string },
  fencingToken?: number,
): Promise<TurnRecord> {
  const { userMessageId } = at;
  const name = chatNames.branch(at);
  const [branch = newBranch(at), turn] = await edit.read<[BranchRecord, TurnRecord]>(
    name,
    chatNames.turn(at, userMessageId),
  );
  if (fencingToken !== undefined) {
    if (fencingToken < branch.token) {
      const message = `The lease with token ${fencingToken} is over: token ${branch.token} was given out since.`;
      throw new OperationsError("stale_lease", message);
    }
    // Written even if it stays the same, so that no other lease is granted meanwhile.
    edit.put(name, { ...branch, token: fencingToken });
  }
  if (turn === undefined) throw unknownTurn(userMessageId);
  return turn;
}

/** Stores a turn and what it contributes to the state. */
export function putTurn(edit: RecordEdit, branch: ChatBranch, turn: TurnRecord): void {
  const { position, wrote, userMessageId } = turn;
  edit.put(chatNames.turn(branch, userMessageId), turn);
  const shown = shownState(turn);
  if (shown === undefined && wrote === undefined) return;
  const state: TurnState = { position, wrote, shown };
  edit.put(chatNames.state(branch, position), state);
}

/** Adds a user message at the end of the branch. Returns the branch with it. */
export function addMessage(
  edit: RecordEdit,
  branch: BranchRecord,
  { userMessageId, content }: Pick<NewUserMessage, "userMessageId" | "content">,
): BranchRecord {
  const { next: position, turns } = branch;
  const userVariants = [{ variantId: userMessageId, content }];
  const rest = { userVariants, selectedUser: 0, assistantVariants: [], applied: [] };
  addTurn(edit, branch, { userMessageId, position, ...rest });
  return { ...branch, next: position + 1, turns: turns + 1 };
}

/** Applies what a run commits to its turn. */
export async function applyCommit(
  edit: RecordEdit,
  turn: TurnRecord,
  commit: TurnCommit,
): Promise<TurnOutcome[]> {
  const applied = new Set(turn.applied);
  const writes: KeptWrite[] = [];
  const keep = (write: KeptWrite): void => void writes.push(write);
  const outcomes = commitOperations({ applied, turn, commit, keep });
  turn.applied = [...applied];
  await addWrites(edit, commit, turn, writes);
  return outcomes;
}

/** Stores a new turn. */
export function addTurn(edit: RecordEdit, branch: ChatBranch, turn: TurnRecord): void {
  edit.put(chatNames.place(branch, turn.position), turn.userMessageId);
  putTurn(edit, branch, turn);
}

const minReach = 64;
const defaultMaxItems = 20;

/** Adds writes to those of their run. */
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
