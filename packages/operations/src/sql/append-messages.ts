import type { NewUserMessage } from "../ports/chat-store.ts";
import { branchKeyOf, type TurnRow } from "./branch-rows.ts";
import { lockWriters } from "./lock-writers.ts";
import type { Batch } from "./group-commit.ts";
import { change, keyOf, type SqlValue } from "./statement.ts";

/** Adds turns to branches. Turns that already exist are skipped. */
export const appendBatch: Batch<NewUserMessage, true> = {
  keyOf: branchKeyOf,
  *steps(messages) {
    const writers = messages.map((message) => ({ key: branchKeyOf(message), fencingToken: 0 }));
    yield* lockWriters(writers);
    yield* change(
      ({ asked }) => `INSERT INTO ccl_operation_turns (branch_key, position, turn_key, turn)
        SELECT asked_branch, 1 + coalesce(
          (SELECT max(other.position) FROM ccl_operation_turns other WHERE other.branch_key = asked_branch), 0
        ), asked_turn, asked_body FROM ${asked} WHERE true
        ON CONFLICT (branch_key, turn_key) DO NOTHING`,
      {
        columns: ["asked_branch", "asked_turn", "asked_body"],
        rows: messages.map(insertedRow),
      },
    );
    return messages.map(() => true);
  },
};

function insertedRow(message: NewUserMessage): SqlValue[] {
  const { userMessageId, content } = message;
  const userVariants = [{ variantId: userMessageId, content }];
  const turn: TurnRow = {
    userMessageId,
    userVariants,
    selectedUser: 0,
    assistantVariants: [],
    applied: [],
  };
  return [branchKeyOf(message), keyOf(userMessageId), JSON.stringify(turn)];
}
