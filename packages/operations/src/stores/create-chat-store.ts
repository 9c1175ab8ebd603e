import type { ChatMessage } from "@ccl/core";
import { pageLimit } from "@ccl/core/paging";
import { createMemoryRecords, type Records } from "@ccl/records";

import { OperationsError } from "../operations-error.ts";
import type { ChatBranch } from "../ports/chat-store.ts";
import { firstPosition, historyOf } from "../ports/chat-turn.ts";
import {
  applyEdit,
  type BranchPage,
  type ConversationStore,
  type ListBranchesOptions,
} from "../ports/conversation-store.ts";
import { keepAnswer } from "./run-log.ts";
import { type RecordEdit, valueIn, editorOf } from "./change-records.ts";
import { deleteTurns, forkBranch, importTurns } from "./edit-conversation.ts";
import { readKeptState } from "./kept-state.ts";
import { readNewestTurns, readTurns } from "./read-turns.ts";
import { type BranchRecord, chatNames, newBranch, prefixOf } from "./stored-records.ts";
import { putTurn, readTurn, type RunWrites, turnIn, type TurnRecord } from "./turn-records.ts";

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
        const turns =
          limit === Infinity
            ? await readTurns(edit, at, { to })
            : await readNewestTurns(edit, at, { to, limit: Math.floor(limit) });
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

async function listBranches(
  edit: RecordEdit,
  { cursor, limit }: ListBranchesOptions,
): Promise<BranchPage> {
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
