import type { ChatMessage } from "@ccl/core";
import { pageLimit } from "@ccl/core/paging";
import { type Records, createMemoryRecords } from "@ccl/records";

import { OperationsError } from "../operations-error.ts";
import {
  type ChatBranch,
  type PageRequest,
  type StoredTurn,
  firstPosition,
  historyOf,
  keepStates,
} from "../ports/chat-store.ts";
import {
  type BranchPage,
  type ConversationStore,
  applyEdit,
  takenBranch,
  unknownTurn,
} from "../ports/conversation-store.ts";
import { keepAnswer } from "./run-log.ts";
import { readKeptState } from "./kept-state.ts";
import { readNewestTurns, readTurns } from "./read-turns.ts";
import {
  type BranchRecord,
  type RecordEdit,
  type RunHead,
  chatNames,
  editorOf,
  newBranch,
  prefixOf,
  runNames,
  valueIn,
} from "./stored-records.ts";
import {
  type RunWrites,
  type TurnRecord,
  addTurn,
  addWrites,
  putTurn,
  readTurn,
  removeTurn,
  turnIn,
} from "./turn-records.ts";
import { deleteRuns } from "./prune-runs.ts";

/** Options of chats. */
export interface ChatStoreOptions {
  /** Messages before the first turn of every branch, such as a system prompt or a greeting. They are not stored. */
  preamble?: readonly ChatMessage[] | undefined;
}

/** Stores chats in records that `openRecords` of @ccl/records returned. Defaults to memory. */
export function createChatStore(
  records: Records = createMemoryRecords(),
  { preamble = [] }: ChatStoreOptions = {},
): ConversationStore {
  const onRecords = editorOf(records);
  return {
    loadTurn: ({ userMessageId, maxTurns, ...at }, call) =>
      onRecords(call, async (edit) => {
        const last = await findTurn(edit, at, userMessageId);
        if (last === undefined) return undefined;
        const { position } = last;
        const from = firstPosition(position, maxTurns);
        const before = await readTurns(edit, at, { from, to: position - 1 });
        const history = [...preamble, ...historyOf([...before, last])];
        return { userMessageId: last.userMessageId, position, history };
      }),
    keptState: ({ session, before, ...at }, call) =>
      onRecords(call, async (edit) => {
        const turn = before === undefined ? undefined : await findTurn(edit, at, before);
        const end = turn?.position ?? Infinity;
        return readKeptState(edit, at, { session, before: end });
      }),
    writesOf: (runId, call) =>
      onRecords(call, async (edit) => {
        const prefix = prefixOf("wrote", runId);
        const found = await edit.list<RunWrites>({ prefix });
        return found.flatMap(({ writes }) => writes);
      }),
    branches: ({ signal, ...which } = {}) =>
      onRecords({ signal }, (edit) => listBranches(edit, which)),
    turns: (at, { before, limit = Infinity, ...call } = {}) =>
      onRecords(call, async (edit) => {
        const end = await findTurn(edit, at, before);
        if (end === undefined) return [];
        const to = before === undefined ? end.position : end.position - 1;
        const turns = await readNewestTurns(edit, at, { to, limit: Math.floor(limit) });
        return turns.map(turnIn);
      }),
    editTurn: (change, call) =>
      onRecords(call, async (edit) => {
        const turn = await readTurn(edit, change);
        if (change.type === "edit") await keepAnswer(edit, turn, change.variantId);
        applyEdit(turn, change);
        putTurn(edit, change, turn);
      }),
    deleteTurns: (range, call) => onRecords(call, (edit) => deleteTurns(edit, range)),
    importTurns: (imported, call) => onRecords(call, (edit) => importTurns(edit, imported)),
    fork: (from, call) => onRecords(call, (edit) => forkBranch(edit, from)),
  };
}

/** Finds the turn of a message, or the branch's last turn if no message is given. */
async function findTurn(
  edit: RecordEdit,
  at: ChatBranch,
  userMessageId: string | undefined,
): Promise<TurnRecord | undefined> {
  if (userMessageId !== undefined) {
    const [turn] = await edit.read<[TurnRecord]>(chatNames.turn(at, userMessageId));
    return turn;
  }
  const [branch = newBranch(at)] = await edit.read<[BranchRecord]>(chatNames.branch(at));
  const [last] = await readNewestTurns(edit, at, { to: branch.next - 1, limit: 1 });
  return last;
}

async function listBranches(edit: RecordEdit, { cursor, limit }: PageRequest): Promise<BranchPage> {
  const size = pageLimit(limit, { byDefault: 100, max: 1_000 }, OperationsError);
  const found: BranchRecord[] = [];
  let after = cursor;
  do {
    const page = await edit.page({ prefix: prefixOf("branch"), cursor: after });
    found.push(...page.records.map((record) => valueIn<BranchRecord>(record)).filter(hasTurns));
    after = page.cursor;
  } while (after !== undefined && found.length <= size);
  const branches = found.slice(0, size).map(({ chatId, branchId, turns }) => {
    return { chatId, branchId, turns };
  });
  const last = branches.at(-1);
  if (found.length <= size || last === undefined) return { branches };
  return { branches, cursor: chatNames.branch(last) };
}

function hasTurns({ turns }: BranchRecord): boolean {
  return turns > 0;
}

/** Deletes turns and their runs. Returns the number of turns. */
async function deleteTurns(
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
    const message =
      "A run is active on the branch; wait for it or abort it before turns are deleted.";
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
async function importTurns(
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
async function forkBranch(
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
