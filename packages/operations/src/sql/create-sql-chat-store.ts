import type { ChatMessage } from "@ccl/core";

import { OperationsError } from "../operations-error.ts";
import type { ChatBranch, ChatStore, ChatTurn, NewUserMessage, TurnOutcome } from "../ports/chat-store.ts";
import { commitOperations, saveVariant, type StoredTurn } from "../ports/chat-turn.ts";
import type { StoreCall } from "../ports/store-call.ts";
import { findStale } from "./find-stale.ts";
import type { Batch } from "./group-commit.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { change, jsonIn, keyOf, numberIn, requiredJsonIn, rowsOf, textIn, type Row, type Steps } from "./statement.ts";

/** A chat in a database that can be looked at. */
export interface DurableChatStore extends ChatStore {
  /** The turns of a branch with all their variants, oldest first. */
  turns(branch: ChatBranch, call?: StoreCall): Promise<StoredTurn[]>;
}

/** Chats in a database; `preamble` stands before the first turn of every branch. */
export function createSqlChatStore(database: SqlDatabase, preamble: readonly ChatMessage[]): DurableChatStore {
  const append = database.writer("chat", appendBatch);
  const load = database.reader(loadBatch);
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
      changeTurn({ ...commit, apply: (turn, applied) => commitOperations({ turn, applied, commit }) }, call),
    async saveAssistantVariant(variant, call) {
      const apply = (turn: StoredTurn): TurnOutcome[] => {
        saveVariant(turn, variant);
        return [];
      };
      await changeTurn({ ...variant, apply }, call);
    },
    turns: (branch, call) => database.read(() => loadTurns(branch), call),
  };
}

const branchKeyOf = ({ chatId, branchId }: ChatBranch): string => keyOf(chatId, branchId);

/** A turn as stored, with what was applied to it. */
interface TurnRow extends StoredTurn {
  /** `runId/hook/operationId`. */
  applied: string[];
}

const appendBatch: Batch<NewUserMessage, true> = {
  keyOf: branchKeyOf,
  *steps(messages) {
    yield* lockBranches(messages.map((message) => ({ branchKey: branchKeyOf(message), fencingToken: 0 })));
    yield* change(
      ({ asked }) => `INSERT INTO ccl_operation_turns (branch_key, position, turn_key, user_message, turn)
        SELECT asked_branch, 1 + coalesce(
          (SELECT max(other.position) FROM ccl_operation_turns other WHERE other.branch_key = asked_branch), 0
        ), asked_turn, asked_message, asked_body FROM ${asked} WHERE true
        ON CONFLICT (branch_key, turn_key) DO NOTHING`,
      {
        columns: ["asked_branch", "asked_turn", "asked_message", "asked_body"],
        rows: messages.map((message) => {
          const { userMessageId, content } = message;
          const userVariants = [{ variantId: userMessageId, content }];
          const turn: TurnRow = { userMessageId, userVariants, selectedUser: 0, assistantVariants: [], applied: [] };
          return [branchKeyOf(message), keyOf(userMessageId), JSON.stringify(content), JSON.stringify(turn)];
        }),
      },
    );
    return messages.map(() => true);
  },
};

/** Makes branches that are not there and locks them; gives the highest token of each. */
function* lockBranches(writers: readonly { branchKey: string; fencingToken: number }[]): Steps<Map<string, number>> {
  const rows = yield* rowsOf(
    ({ asked }) => `INSERT INTO ccl_operation_branches AS stored (branch_key, fencing_token)
      SELECT asked_branch, asked_token FROM ${asked} WHERE true
      ON CONFLICT (branch_key) DO UPDATE SET fencing_token =
        CASE WHEN excluded.fencing_token > stored.fencing_token THEN excluded.fencing_token ELSE stored.fencing_token END
      RETURNING branch_key, fencing_token`,
    {
      columns: ["asked_branch", "asked_token#"],
      rows: writers.map(({ branchKey, fencingToken }) => [branchKey, fencingToken]),
    },
  );
  return new Map(rows.map((row) => [textIn(row, "branch_key"), numberIn(row, "fencing_token")]));
}

/** A change of one turn, under a lease. */
interface TurnChange extends ChatBranch {
  runId: string;
  fencingToken: number;
  userMessageId: string;
  apply(turn: StoredTurn, applied: Set<string>): TurnOutcome[];
}

const turnBatch: Batch<TurnChange, TurnOutcome[]> = {
  keyOf: branchKeyOf,
  *steps(changes) {
    const keys = changes.map(branchKeyOf);
    const tokens = yield* lockBranches(
      changes.map(({ fencingToken }, index) => ({ branchKey: keys[index] ?? "", fencingToken })),
    );
    const stale = yield* findStale(
      changes.map(({ runId, fencingToken }, index) => {
        return { runId, fencingToken, highestToken: tokens.get(keys[index] ?? "") ?? 0 };
      }),
    );
    const turns = yield* findTurns(changes);
    const rows: (string | null)[][] = [];
    const outcomes = changes.map(({ userMessageId, apply }, index) => {
      const turn = turns.get(keyOf(keys[index] ?? "", userMessageId));
      const refusal = stale[index] ?? (turn === undefined ? unknownTurn(userMessageId) : undefined);
      if (refusal !== undefined || turn === undefined) return refusal ?? unknownTurn(userMessageId);
      const applied = new Set(turn.applied);
      const outcome = apply(turn, applied);
      turn.applied = [...applied];
      rows.push([keys[index] ?? "", keyOf(userMessageId), ...selectedTexts(turn), JSON.stringify(turn)]);
      return outcome;
    });
    yield* change(
      ({
        asked,
      }) => `UPDATE ccl_operation_turns SET user_message = asked_message, answer = asked_answer, turn = asked_body
        FROM ${asked} WHERE branch_key = asked_branch AND turn_key = asked_turn`,
      { columns: ["asked_branch", "asked_turn", "asked_message", "asked_answer", "asked_body"], rows },
    );
    return outcomes;
  },
};

function unknownTurn(userMessageId: string): OperationsError {
  return new OperationsError(
    "unknown_turn",
    `There is no user message ${JSON.stringify(userMessageId)} in the branch.`,
  );
}

function* findTurns(changes: readonly TurnChange[]): Steps<Map<string, TurnRow>> {
  const rows = yield* rowsOf(
    ({ asked }) => `SELECT branch_key, turn FROM ${asked}
      JOIN ccl_operation_turns ON branch_key = asked_branch AND turn_key = asked_turn`,
    {
      columns: ["asked_branch", "asked_turn"],
      rows: changes.map((one) => [branchKeyOf(one), keyOf(one.userMessageId)]),
    },
  );
  return new Map(
    rows.map((row) => {
      const turn = requiredJsonIn<TurnRow>(row, "turn");
      return [keyOf(textIn(row, "branch_key"), turn.userMessageId), turn];
    }),
  );
}

/** What a prompt needs of a turn, beside all its variants, so that a long chat is read without them. */
function selectedTexts(turn: StoredTurn): [userMessage: string, answer: string | null] {
  const user = turn.userVariants[turn.selectedUser];
  const answer = turn.assistantVariants[turn.selectedAssistant ?? -1];
  const { variantId: id = "", content = "" } = answer ?? {};
  return [JSON.stringify(user?.content ?? ""), answer === undefined ? null : JSON.stringify({ id, content })];
}

type WantedTurn = ChatBranch & { userMessageId?: string };

const turnKeyOf = ({ userMessageId }: WantedTurn): string | null =>
  userMessageId === undefined ? null : keyOf(userMessageId);

/** Histories up to the turns that are wanted; null where there is none. */
const loadBatch: Batch<WantedTurn, ChatTurn | null> = {
  keyOf: branchKeyOf,
  *steps(wanted) {
    const rows = yield* rowsOf(
      ({ asked }) => `SELECT stored.branch_key AS branch_key, stored.turn_key AS turn_key,
          stored.user_message AS user_message, stored.answer AS answer
        FROM ${asked} JOIN ccl_operation_turns stored ON stored.branch_key = asked_branch AND stored.position <= (
          SELECT max(last.position) FROM ccl_operation_turns last
          WHERE last.branch_key = asked_branch AND (asked_turn IS NULL OR last.turn_key = asked_turn)
        ) ORDER BY stored.branch_key, stored.position`,
      { columns: ["asked_branch", "asked_turn"], rows: wanted.map((turn) => [branchKeyOf(turn), turnKeyOf(turn)]) },
    );
    const byBranch = new Map(wanted.map((turn): [string, Row[]] => [branchKeyOf(turn), []]));
    for (const row of rows) byBranch.get(textIn(row, "branch_key"))?.push(row);
    return wanted.map((turn) => historyOf(byBranch.get(branchKeyOf(turn)) ?? []));
  },
};

function historyOf(rows: readonly Row[]): ChatTurn | null {
  const last = rows.at(-1);
  if (last === undefined) return null;
  const history = rows.flatMap((row) => messagesOf(row, row === last));
  return { userMessageId: requiredJsonIn(last, "turn_key"), history };
}

function messagesOf(row: Row, isLast: boolean): ChatMessage[] {
  const content = requiredJsonIn<NewUserMessage["content"]>(row, "user_message");
  const user: ChatMessage = { id: requiredJsonIn(row, "turn_key"), role: "user", content };
  const answer = isLast ? undefined : jsonIn<{ id: string; content: NewUserMessage["content"] }>(row, "answer");
  return answer === undefined ? [user] : [user, { id: answer.id, role: "assistant", content: answer.content }];
}

function* loadTurns(branch: ChatBranch): Steps<StoredTurn[]> {
  const rows = yield* rowsOf(
    ({ asked }) => `SELECT turn FROM ${asked} JOIN ccl_operation_turns ON branch_key = asked_branch ORDER BY position`,
    { columns: ["asked_branch"], rows: [[branchKeyOf(branch)]] },
  );
  return rows.map((row) => {
    const { applied: _, ...turn } = requiredJsonIn<TurnRow>(row, "turn");
    return turn;
  });
}
