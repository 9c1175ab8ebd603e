import { numberIn, requiredJsonIn, textIn } from "@ccl/sql";

import { OperationsError } from "../operations-error.ts";
import type { ChatBranch } from "../ports/chat-store.ts";
import { keepStates, type StoredTurn } from "../ports/chat-turn.ts";
import {
  type BranchPage,
  takenBranch,
  type TurnWindow,
  unknownTurn,
} from "../ports/conversation-store.ts";
import type { RunInput } from "../ports/run-store.ts";
import { branchKeyOf, type TurnRow } from "./branch-rows.ts";
import { askedState, stateColumns, stateOf } from "./change-turns.ts";
import type { Batch } from "./group-commit.ts";
import { copyWrites, importWrites, type ImportedRun } from "./kept-writes.ts";
import { lockWriters } from "./lock-writers.ts";
import { deleteRuns } from "./prune-runs.ts";
import { change, keyOf, rowsOf, type Steps } from "./statement.ts";

/** Loads turns of a branch, oldest first. */
export function* loadTurns(
  branch: ChatBranch,
  { before, limit }: TurnWindow = {},
): Steps<StoredTurn[]> {
  const rows = yield* rowsOf(
    ({ asked }) =>
      `SELECT turn FROM ${asked} JOIN ccl_operation_turns stored ON stored.branch_key = asked_branch
        WHERE asked_before IS NULL OR position < (SELECT other.position FROM ccl_operation_turns other
          WHERE other.branch_key = asked_branch AND other.turn_key = asked_before)
        ORDER BY position DESC ${limit === undefined ? "" : `LIMIT ${Math.max(0, Math.floor(limit))}`}`,
    {
      columns: ["asked_branch", "asked_before"],
      rows: [[branchKeyOf(branch), before === undefined ? null : keyOf(before)]],
    },
  );
  return rows.toReversed().map((row) => {
    const { applied: _, ...turn } = requiredJsonIn<TurnRow>(row, "turn");
    return turn;
  });
}

/** Lists branches by key. */
export function* listBranches(cursor: string | undefined, limit: number): Steps<BranchPage> {
  const rows = yield* rowsOf(
    ({ asked }) => `SELECT stored.branch_key AS branch_key, count(*) AS turns FROM ${asked}
      JOIN ccl_operation_turns stored ON stored.branch_key > asked_after
      GROUP BY stored.branch_key ORDER BY stored.branch_key LIMIT ${limit + 1}`,
    { columns: ["asked_after"], rows: [[cursor ?? ""]] },
  );
  const branches = rows.slice(0, limit).map((row) => {
    const [chatId = "", branchId = ""] = requiredJsonIn<string[]>(row, "branch_key");
    return { chatId, branchId, turns: numberIn(row, "turns") };
  });
  const last = rows[limit - 1];
  const hasMore = rows.length > limit && last !== undefined;
  return { branches, cursor: hasMore ? textIn(last, "branch_key") : undefined };
}

/** Positions in the branch by user message id. */
function* positionsOf(
  branchKey: string,
  userMessageIds: readonly string[],
): Steps<Map<string, number>> {
  const rows = yield* rowsOf(
    ({ asked }) => `SELECT stored.turn_key AS turn_key, stored.position AS position FROM ${asked}
      JOIN ccl_operation_turns stored ON stored.branch_key = asked_branch AND stored.turn_key = asked_turn`,
    {
      columns: ["asked_branch", "asked_turn"],
      rows: userMessageIds.map((id) => [branchKey, keyOf(id)]),
    },
  );
  return new Map(
    rows.map((row) => [requiredJsonIn<string>(row, "turn_key"), numberIn(row, "position")]),
  );
}

function* lastPosition(branchKey: string): Steps<number> {
  const [row] = yield* rowsOf(
    ({ asked }) => `SELECT coalesce(max(stored.position), 0) AS position FROM ${asked}
      LEFT JOIN ccl_operation_turns stored ON stored.branch_key = asked_branch`,
    { columns: ["asked_branch"], rows: [[branchKey]] },
  );
  return row === undefined ? 0 : numberIn(row, "position");
}

/** A range of turns to delete. */
type Deletion = ChatBranch & { from: string; to?: string | undefined };

/** Deletes turns and their runs. */
export const deleteBatch: Batch<Deletion, number> = {
  keyOf: branchKeyOf,
  *steps(deletions) {
    const counts: (number | OperationsError)[] = [];
    for (const deletion of deletions) counts.push(yield* deleteTurns(deletion));
    return counts;
  },
};

function* deleteTurns(deletion: Deletion): Steps<number | OperationsError> {
  const { from, to } = deletion;
  const branchKey = branchKeyOf(deletion);
  yield* lockWriters([{ key: branchKey, fencingToken: 0 }]);
  const positions = yield* positionsOf(branchKey, to === undefined ? [from] : [from, to]);
  const first = positions.get(from);
  const last = to === undefined ? yield* lastPosition(branchKey) : positions.get(to);
  if (first === undefined) return unknownTurn(from);
  if (last === undefined) return unknownTurn(to ?? from);
  const runs = yield* rowsOf(
    ({ asked }) => `SELECT run_key, input, CASE WHEN result IS NULL THEN 1 ELSE 0 END AS is_open
      FROM ${asked} JOIN ccl_operation_runs ON branch_key = asked_branch`,
    { columns: ["asked_branch"], rows: [[branchKey]] },
  );
  const open = runs.find((row) => numberIn(row, "is_open") === 1);
  if (open !== undefined) {
    const message = "A run works on the branch; wait for it or abort it before turns are deleted.";
    return new OperationsError("run_active", message);
  }
  const gone = yield* rowsOf(
    ({ asked }) => `DELETE FROM ccl_operation_turns WHERE EXISTS (SELECT 1 FROM ${asked}
      WHERE branch_key = asked_branch AND position >= asked_first AND position <= asked_last) RETURNING turn_key`,
    { columns: ["asked_branch", "asked_first#", "asked_last#"], rows: [[branchKey, first, last]] },
  );
  const ids = new Set(gone.map((row) => requiredJsonIn<string>(row, "turn_key")));
  const keys = runs
    .filter((row) => ids.has(requiredJsonIn<RunInput>(row, "input").userMessageId))
    .map((row) => textIn(row, "run_key"));
  yield* deleteRuns(keys);
  yield* change(
    ({ asked }) => `DELETE FROM ccl_operation_writes WHERE (branch_key, turn_key) IN
      (SELECT asked_branch, asked_turn FROM ${asked})`,
    { columns: ["asked_branch", "asked_turn"], rows: [...ids].map((id) => [branchKey, keyOf(id)]) },
  );
  return gone.length;
}

/** Turns to import. */
type Import = ChatBranch & { turns: readonly StoredTurn[] };

/** Adds whole turns to branches. */
export const importBatch: Batch<Import, true> = {
  keyOf: branchKeyOf,
  *steps(imports) {
    for (const { turns: imported, ...branch } of imports) {
      const branchKey = branchKeyOf(branch);
      yield* lockWriters([{ key: branchKey, fencingToken: 0 }]);
      const last = yield* lastPosition(branchKey);
      const known = yield* positionsOf(
        branchKey,
        imported.map(({ userMessageId }) => userMessageId),
      );
      const turns = imported
        .filter(({ userMessageId }) => !known.has(userMessageId))
        .map((turn) => structuredClone(turn));
      const withWrites = yield* importWrites(turns.flatMap((turn) => runsOf(turn, branch)));
      for (const turn of turns) keepStates(turn, (runId) => withWrites.has(runId));
      yield* change(
        ({
          asked,
        }) => `INSERT INTO ccl_operation_turns (branch_key, position, turn_key, ${stateColumns}, turn)
          SELECT asked_branch, asked_position, asked_turn, ${askedState.join(", ")}, asked_body
          FROM ${asked} WHERE true ON CONFLICT (branch_key, turn_key) DO NOTHING`,
        {
          columns: ["asked_branch", "asked_position#", "asked_turn", ...askedState, "asked_body"],
          rows: turns.map((turn, index) => [
            branchKey,
            last + index + 1,
            keyOf(turn.userMessageId),
            ...stateOf(turn),
            JSON.stringify({ ...turn, applied: [] }),
          ]),
        },
      );
    }
    return imports.map(() => true);
  },
};

function runsOf(turn: StoredTurn, branch: ChatBranch): ImportedRun[] {
  const { userMessageId, assistantVariants } = turn;
  const ids = [turn, ...assistantVariants].flatMap(({ state }) => state?.runId ?? []);
  return [...new Set(ids)].map((runId) => ({ branch, userMessageId, runId }));
}

/** A copy of a branch to a new one. */
type Fork = ChatBranch & { userMessageId: string; newBranchId: string };

/** Copies branches up to a turn. */
export const forkBatch: Batch<Fork, true> = {
  keyOf: (fork) => keyOf(fork.chatId),
  *steps(forks) {
    const outcomes: (true | OperationsError)[] = [];
    for (const fork of forks) outcomes.push(yield* forkBranch(fork));
    return outcomes;
  },
};

function* forkBranch(fork: Fork): Steps<true | OperationsError> {
  const { chatId, userMessageId, newBranchId } = fork;
  const [from, to] = [branchKeyOf(fork), branchKeyOf({ chatId, branchId: newBranchId })];
  yield* lockWriters([{ key: to, fencingToken: 0 }]);
  const position = (yield* positionsOf(from, [userMessageId])).get(userMessageId);
  if (position === undefined) return unknownTurn(userMessageId);
  if ((yield* lastPosition(to)) > 0) return takenBranch(newBranchId);
  yield* change(
    ({
      asked,
    }) => `INSERT INTO ccl_operation_turns (branch_key, position, turn_key, ${stateColumns}, turn)
      SELECT asked_to, position, turn_key, ${stateColumns}, turn
      FROM ${asked} JOIN ccl_operation_turns stored
      ON stored.branch_key = asked_from AND stored.position <= asked_position`,
    { columns: ["asked_from", "asked_to", "asked_position#"], rows: [[from, to, position]] },
  );
  yield* copyWrites(from, to);
  return true;
}
