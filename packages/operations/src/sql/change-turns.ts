import { requiredJsonIn, textIn } from "@ccl/sql";
import type { ChatBranch, TurnOutcome } from "../ports/chat-store.ts";
import type { StoredTurn } from "../ports/chat-turn.ts";
import { unknownTurn } from "../ports/conversation-store.ts";
import { branchKeyOf, type TurnRow } from "./branch-rows.ts";
import { guarded } from "./guarded.ts";
import { findStale } from "./lock-writers.ts";
import type { Batch } from "./group-commit.ts";
import { change, keyOf, rowsOf, type Steps } from "./statement.ts";

/** A change of one turn, under a lease. */
export interface TurnChange extends ChatBranch {
  /** Undefined for what a person changes, which needs no lease. */
  runId?: string | undefined;
  fencingToken?: number | undefined;
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
      changes.map(({ runId = "", fencingToken = 0 }, index) => ({
        key: keys[index] ?? "",
        runId,
        fencingToken,
      })),
    );
    const turns = yield* findTurns(changes);
    const rows: (string | null)[][] = [];
    const outcomes = changes.map(({ runId, userMessageId, apply }, index) => {
      const turn = turns.get(keyOf(keys[index] ?? "", userMessageId));
      const refusal =
        (runId === undefined ? undefined : stale[index]) ??
        (turn === undefined ? unknownTurn(userMessageId) : undefined);
      if (refusal !== undefined || turn === undefined) return refusal ?? unknownTurn(userMessageId);
      const applied = new Set(turn.applied);
      const outcome = guarded(() => apply(turn, applied));
      if (!Array.isArray(outcome)) return outcome;
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
export function selectedTexts(turn: StoredTurn): [userMessage: string, answer: string | null] {
  const user = turn.userVariants[turn.selectedUser];
  const answer = turn.assistantVariants[turn.selectedAssistant ?? -1];
  const { variantId: id = "", content = "", toolCalls, messages } = answer ?? {};
  return [
    JSON.stringify(user?.content ?? ""),
    answer === undefined ? null : JSON.stringify({ id, content, toolCalls, messages }),
  ];
}
