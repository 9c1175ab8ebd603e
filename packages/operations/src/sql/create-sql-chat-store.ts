import { numberIn, requiredJsonIn, textIn } from "@ccl/sql";
import type { ChatMessage } from "@ccl/core";
import { pageLimit } from "@ccl/core/paging";

import { OperationsError } from "../operations-error.ts";

import type { ChatBranch, ChatTurn, TurnOutcome } from "../ports/chat-store.ts";
import { commitOperations, historyOf, saveVariant, type StoredTurn } from "../ports/chat-turn.ts";
import { applyEdit, type ConversationStore, type TurnWindow } from "../ports/conversation-store.ts";
import { appendBatch } from "./append-messages.ts";
import { branchKeyOf } from "./branch-rows.ts";
import { turnBatch } from "./change-turns.ts";
import {
  deleteBatch,
  forkBatch,
  importBatch,
  listBranches,
  loadTurns,
} from "./edit-conversation.ts";
import type { Batch } from "./group-commit.ts";
import { loadState, loadWrites } from "./kept-writes.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { keyOf, rowsOf, type Row } from "./statement.ts";

/** A chat in a database that users can browse and edit. */
export interface DurableChatStore extends ConversationStore {
  turns(branch: ChatBranch, window?: TurnWindow): Promise<StoredTurn[]>;
}

/** Creates chats in a database. `preamble` precedes the first turn of every branch. */
export function createSqlChatStore(
  database: SqlDatabase,
  preamble: readonly ChatMessage[],
): DurableChatStore {
  const append = database.writer("chat", appendBatch);
  const load = database.reader(loadBatch);
  const importTurns = database.writer("chat", importBatch);
  const fork = database.writer("chat", forkBatch);
  const changeTurn = database.writer("chat", turnBatch);
  return {
    async appendUserMessage(message, call) {
      await append(message, call);
    },
    async loadTurn(turn, call) {
      const loaded = await load(turn, call);
      return loaded === null ? undefined : { ...loaded, history: [...preamble, ...loaded.history] };
    },
    commitTurn: (commit, call) =>
      changeTurn(
        { ...commit, apply: (turn, on) => commitOperations({ turn, commit, ...on }) },
        call,
      ),
    keptState: (at, call) => database.readTogether(() => loadState(at), call),
    writesOf: (runId, call) => database.read(() => loadWrites(runId), call),
    async saveAssistantVariant(variant, call) {
      const apply = (turn: StoredTurn): TurnOutcome[] => {
        saveVariant(turn, variant);
        return [];
      };
      await changeTurn({ ...variant, apply }, call);
    },
    turns: (branch, window) => database.read(() => loadTurns(branch, window), window),
    async branches({ cursor, limit, ...call } = {}) {
      const max = pageLimit(limit, { byDefault: 100, max: 1_000 }, OperationsError);
      return database.read(() => listBranches(cursor, max), call);
    },
    async editTurn(edit, call) {
      const apply = (turn: StoredTurn): TurnOutcome[] => {
        applyEdit(turn, edit);
        return [];
      };
      const { chatId, branchId, userMessageId } = edit;
      await changeTurn({ chatId, branchId, userMessageId, apply }, call);
    },
    deleteTurns: database.writer("chat", deleteBatch),
    async importTurns(turns, call) {
      await importTurns(turns, call);
    },
    async fork(from, call) {
      await fork(from, call);
    },
  };
}

type WantedTurn = Parameters<ConversationStore["loadTurn"]>[0];

/**
 * The parameters of `firstPosition` for SQL. For a short branch the division returns 0 or less, so all of it is read.
 */
function windowOf({ maxTurns = 0 }: WantedTurn): [turns: number, window: number] {
  return [maxTurns, Math.max(1, Math.ceil(maxTurns / 2))];
}

const turnKeyOf = ({ userMessageId }: WantedTurn): string | null =>
  userMessageId === undefined ? null : keyOf(userMessageId);

/** Loads histories up to the requested turns. null if a turn does not exist. */
const loadBatch: Batch<WantedTurn, ChatTurn | null> = {
  keyOf: branchKeyOf,
  *steps(wanted) {
    const rows = yield* rowsOf(
      ({
        asked,
      }) => `SELECT stored.branch_key AS branch_key, stored.position AS position, stored.turn AS turn
        FROM ${asked} JOIN ccl_operation_turns last ON last.branch_key = asked_branch AND last.position = (
          SELECT max(other.position) FROM ccl_operation_turns other
          WHERE other.branch_key = asked_branch AND (asked_turn IS NULL OR other.turn_key = asked_turn)
        ) JOIN ccl_operation_turns stored ON stored.branch_key = asked_branch AND stored.position <= last.position
          AND (asked_turns = 0 OR stored.position > (last.position - asked_turns) / asked_window * asked_window)
        ORDER BY stored.branch_key, stored.position`,
      {
        columns: ["asked_branch", "asked_turn", "asked_turns#", "asked_window#"],
        rows: wanted.map((turn) => [branchKeyOf(turn), turnKeyOf(turn), ...windowOf(turn)]),
      },
    );
    const byBranch = new Map(wanted.map((turn): [string, Row[]] => [branchKeyOf(turn), []]));
    for (const row of rows) byBranch.get(textIn(row, "branch_key"))?.push(row);
    return wanted.map((turn) => chatTurnOf(byBranch.get(branchKeyOf(turn)) ?? []));
  },
};

function chatTurnOf(rows: readonly Row[]): ChatTurn | null {
  const last = rows.at(-1);
  if (last === undefined) return null;
  const turns = rows.map((row) => requiredJsonIn<StoredTurn>(row, "turn"));
  const userMessageId = turns.at(-1)?.userMessageId ?? "";
  return { userMessageId, position: numberIn(last, "position"), history: historyOf(turns) };
}
