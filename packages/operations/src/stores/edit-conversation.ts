import { OperationsError } from "../operations-error.ts";
import type { ChatBranch } from "../ports/chat-store.ts";
import { keepStates, type StoredTurn } from "../ports/chat-turn.ts";
import { takenBranch, unknownTurn } from "../ports/conversation-store.ts";
import type { RecordEdit } from "./change-records.ts";
import { deleteRuns } from "./prune-runs.ts";
import { readTurns } from "./read-turns.ts";
import {
  type BranchRecord,
  type RunHead,
  chatNames,
  newBranch,
  prefixOf,
  runNames,
} from "./stored-records.ts";
import { addTurn, addWrites, removeTurn, type RunWrites, type TurnRecord } from "./turn-records.ts";

/** Deletes turns and their runs. Returns the number of turns. */
export async function deleteTurns(
  edit: RecordEdit,
  { from, to, ...at }: ChatBranch & { from: string; to?: string | undefined },
): Promise<number> {
  const name = chatNames.branch(at);
  const ends = [from, to ?? from].map((id) => chatNames.turn(at, id));
  const [branch = newBranch(at)] = await edit.read<[BranchRecord]>(name);
  const [first, last] = await edit.readAll<TurnRecord>(ends);
  if (first === undefined) throw unknownTurn(from);
  if (last === undefined) throw unknownTurn(to ?? from);
  if (branch.active !== undefined) {
    const message = "A run works on the branch; wait for it or abort it before turns are deleted.";
    throw new OperationsError("run_active", message);
  }
  const range = { from: first.position, to: to === undefined ? Infinity : last.position };
  const gone = await readTurns(edit, at, range);
  for (const turn of gone) removeTurn(edit, at, turn);
  edit.put(name, { ...branch, turns: branch.turns - gone.length } satisfies BranchRecord);
  const prefix = prefixOf("of", at.chatId, at.branchId);
  const runs = await edit.list<string>({ prefix });
  const heads = await edit.readAll<RunHead>(runs.map(runNames.head));
  const ids = new Set(gone.map(({ userMessageId }) => userMessageId));
  const isGone = (head: RunHead | undefined): head is RunHead =>
    head !== undefined && ids.has(head.userMessageId);
  await deleteRuns(edit, heads.filter(isGone));
  return gone.length;
}

/** Adds turns, and copies what their runs wrote in another branch of the chat. */
export async function importTurns(
  edit: RecordEdit,
  { turns: imported, ...at }: ChatBranch & { turns: readonly StoredTurn[] },
): Promise<void> {
  const name = chatNames.branch(at);
  const [branch = newBranch(at)] = await edit.read<[BranchRecord]>(name);
  const names = imported.map(({ userMessageId }) => chatNames.turn(at, userMessageId));
  const known = await edit.readAll<TurnRecord>(names);
  const added = new Set<string>();
  for (const [index, turn] of imported.entries()) {
    const { userMessageId } = turn;
    if (known[index] !== undefined || added.has(userMessageId)) continue;
    const position = branch.next + added.size;
    added.add(userMessageId);
    const copy: TurnRecord = { ...structuredClone(turn), position, applied: [] };
    const kept = new Set<string>();
    for (const runId of runsOf(copy)) {
      const found = await edit.list<RunWrites>({ prefix: prefixOf("wrote", runId) });
      const { writes = [] } = found.findLast(({ chatId }) => chatId === at.chatId) ?? {};
      if (writes.length > 0) kept.add(runId);
      await addWrites(edit, at, copy, writes);
    }
    keepStates(copy, (runId) => kept.has(runId));
    addTurn(edit, at, copy);
  }
  const count = added.size;
  if (count > 0)
    edit.put(name, { ...branch, next: branch.next + count, turns: branch.turns + count });
}

function runsOf(turn: StoredTurn): Set<string> {
  const states = [turn, ...turn.assistantVariants].map(({ state }) => state?.runId);
  return new Set(states.filter((runId) => runId !== undefined));
}

/** Copies a branch up to a turn, with the state of its answers. */
export async function forkBranch(
  edit: RecordEdit,
  {
    userMessageId,
    newBranchId,
    ...at
  }: ChatBranch & { userMessageId: string; newBranchId: string },
): Promise<void> {
  const target = { chatId: at.chatId, branchId: newBranchId };
  const name = chatNames.branch(target);
  const [branch = newBranch(target), last] = await edit.read<[BranchRecord, TurnRecord]>(
    name,
    chatNames.turn(at, userMessageId),
  );
  if (last === undefined) throw unknownTurn(userMessageId);
  if (branch.turns > 0) throw takenBranch(newBranchId);
  const turns = await readTurns(edit, at, { to: last.position });
  for (const turn of turns) {
    const runIds = Object.keys(turn.wrote ?? {});
    const names = runIds.map((runId) => chatNames.wrote(runId, at, turn.position));
    const found = await edit.readAll<RunWrites>(names);
    const copy = { ...turn, runs: undefined, position: branch.next + turn.position - 1 };
    for (const writes of found) await addWrites(edit, target, copy, writes?.writes ?? []);
    addTurn(edit, target, copy);
  }
  const next = branch.next + last.position;
  edit.put(name, { ...branch, next, turns: turns.length } satisfies BranchRecord);
}
