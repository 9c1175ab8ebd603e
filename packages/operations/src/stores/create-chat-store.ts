import type { ChatMessage } from "@ccl/core";
import { pageLimit } from "@ccl/core/paging";
import { createMemoryRecords, type Records } from "@ccl/records";

import { OperationsError } from "../operations-error.ts";
import type { ChatBranch } from "../ports/chat-store.ts";
import { firstPosition, historyOf, saveVariant } from "../ports/chat-turn.ts";
import {
  applyEdit,
  type BranchPage,
  type ConversationStore,
  type ListBranchesOptions,
} from "../ports/conversation-store.ts";
import type { StoreCall } from "../ports/store-call.ts";
import { keepAnswer } from "./answer-text.ts";
import { changeRecords, listValues, RecordEdit, translated, valueIn } from "./change-records.ts";
import { deleteTurns, forkBranch, importTurns } from "./edit-conversation.ts";
import { readKeptState } from "./kept-state.ts";
import { readNewestTurns, readTurns } from "./read-turns.ts";
import { chatNames, prefixOf } from "./record-names.ts";
import { type BranchRecord, newBranch } from "./run-head.ts";
import {
  addMessage,
  applyCommit,
  putTurn,
  readTurn,
  type RunWrites,
  turnIn,
  type TurnRecord,
} from "./turn-records.ts";

/** Options of chats. */
export interface ChatStoreOptions {
  /** Messages before the first turn of every branch, such as a system prompt or a greeting. They are not stored. */
  preamble?: readonly ChatMessage[] | undefined;
}

/** Stores chats in records that `openRecords` of @ccl/records returned. By default chats are in memory. */
export function createChatStore(
  records: Records = createMemoryRecords(),
  { preamble = [] }: ChatStoreOptions = {},
): ConversationStore {
  return {
    appendUserMessage: ({ userMessageId, content, ...at }, call) =>
      changeRecords(records, call, async (edit) => {
        const [branch = newBranch(at), known] = await edit.read<[BranchRecord, TurnRecord]>(
          chatNames.branch(at),
          chatNames.turn(at, userMessageId),
        );
        if (known !== undefined) return;
        edit.put(chatNames.branch(at), addMessage(edit, branch, { userMessageId, content }));
      }),
    loadTurn: ({ userMessageId, maxTurns, ...at }, call) =>
      translated(async () => {
        const last = await findTurn(records, at, userMessageId, call);
        if (last === undefined) return undefined;
        const { position } = last;
        const from = firstPosition(position, maxTurns);
        const before = await readTurns(records, at, { from, to: position - 1 }, call);
        const history = [...preamble, ...historyOf([...before, last])];
        return { userMessageId: last.userMessageId, position, history };
      }),
    commitTurn: (commit, call) =>
      changeRecords(records, call, async (edit) => {
        const turn = await readTurn(edit, commit, commit.fencingToken);
        const outcomes = await applyCommit(edit, turn, commit);
        putTurn(edit, commit, turn);
        return outcomes;
      }),
    saveAssistantVariant: (variant, call) =>
      changeRecords(records, call, async (edit) => {
        const turn = await readTurn(edit, variant, variant.fencingToken);
        saveVariant(turn, variant);
        putTurn(edit, variant, turn);
      }),
    keptState: ({ session, before, ...at }, call) =>
      translated(async () => {
        const turn = before === undefined ? undefined : await findTurn(records, at, before, call);
        const end = turn?.position ?? Infinity;
        return readKeptState(records, at, { session, before: end }, call);
      }),
    writesOf: (runId, call) =>
      translated(async () => {
        const prefix = prefixOf("wrote", runId);
        const found = await listValues<RunWrites>(records, { prefix }, call);
        return found.flatMap(({ writes }) => writes);
      }),
    branches: (options) => translated(() => listBranches(records, options)),
    turns: (at, { before, limit = Infinity, ...call } = {}) =>
      translated(async () => {
        const end = await findTurn(records, at, before, call);
        if (end === undefined) return [];
        const to = before === undefined ? end.position : end.position - 1;
        const turns =
          limit === Infinity
            ? await readTurns(records, at, { to }, call)
            : await readNewestTurns(records, at, { to, limit: Math.floor(limit) }, call);
        return turns.map(turnIn);
      }),
    editTurn: (change, call) =>
      changeRecords(records, call, async (edit) => {
        const turn = await readTurn(edit, change);
        if (change.type === "edit") await keepAnswer(edit, turn, change.variantId);
        applyEdit(turn, change);
        putTurn(edit, change, turn);
      }),
    deleteTurns: (range, call) =>
      changeRecords(records, call, (edit) => deleteTurns({ records, edit, call }, range)),
    importTurns: (imported, call) =>
      changeRecords(records, call, (edit) => importTurns({ records, edit, call }, imported)),
    fork: (from, call) =>
      changeRecords(records, call, (edit) => forkBranch({ records, edit, call }, from)),
  };
}

/** The turn of a message. Without one the last turn of the branch. */
async function findTurn(
  records: Records,
  at: ChatBranch,
  userMessageId: string | undefined,
  call: StoreCall | undefined,
): Promise<TurnRecord | undefined> {
  const edit = new RecordEdit(records, call);
  if (userMessageId !== undefined) {
    const [turn] = await edit.read<[TurnRecord]>(chatNames.turn(at, userMessageId));
    return turn;
  }
  const [branch = newBranch(at)] = await edit.read<[BranchRecord]>(chatNames.branch(at));
  const [last] = await readNewestTurns(records, at, { to: branch.next - 1, limit: 1 }, call);
  return last;
}

async function listBranches(
  records: Records,
  { cursor, limit, ...call }: ListBranchesOptions = {},
): Promise<BranchPage> {
  const size = pageLimit(limit, { byDefault: 100, max: 1_000 }, OperationsError);
  const found: BranchRecord[] = [];
  let after = cursor;
  do {
    const page = await records.list({ ...call, prefix: prefixOf("branch"), cursor: after });
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
