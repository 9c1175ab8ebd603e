import { requiredJsonIn, textIn } from "@ccl/sql";
import { OperationsError } from "../operations-error.ts";
import type { ChatBranch, TurnOutcome } from "../ports/chat-store.ts";
import type { StoredTurn } from "../ports/chat-turn.ts";
import { branchKeyOf, type TurnRow } from "./branch-rows.ts";
import { findStale } from "./lock-writers.ts";
import type { Batch } from "./group-commit.ts";
import { change, keyOf, rowsOf, type Steps } from "./statement.ts";

/** A change of one turn, under a lease. */
export interface TurnChange extends ChatBranch {
  runId: string;
  fencingToken: number;
  userMessageId: string;
  apply(turn: StoredTurn, applied: Set<string>): TurnOutcome[];
}

/** Changes turns under leases. */
export const turnBatch: Batch<TurnChange, TurnOutcome[]> = {
  keyOf: branchKeyOf,
  *steps(changes) {
    const keys = changes.map(branchKeyOf);
    const stale = yield* findStale(
      "branch",
      changes.map(({ runId, fencingToken }, index) => ({
        key: keys[index] ?? "",
        runId,
        fencingToken,
      })),
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
      rows.push([
        keys[index] ?? "",
        keyOf(userMessageId),
        ...selectedTexts(turn),
        JSON.stringify(turn),
      ]);
      return outcome;
    });
    yield* change(
      ({
        asked,
      }) => `UPDATE ccl_operation_turns SET user_message = asked_message, answer = asked_answer, turn = asked_body
        FROM ${asked} WHERE branch_key = asked_branch AND turn_key = asked_turn`,
      {
        columns: ["asked_branch", "asked_turn", "asked_message", "asked_answer", "asked_body"],
        rows,
      },
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
  const { variantId: id = "", content = "", toolCalls } = answer ?? {};
  return [
    JSON.stringify(user?.content ?? ""),
    answer === undefined ? null : JSON.stringify({ id, content, toolCalls }),
  ];
}
