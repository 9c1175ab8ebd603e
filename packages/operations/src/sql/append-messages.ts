import type { NewUserMessage } from "../ports/chat-store.ts";
import { branchKeyOf, type TurnRow } from "./branch-rows.ts";
import { lockWriters } from "./lock-writers.ts";
import type { Batch } from "./group-commit.ts";
import { change, keyOf, rowsOf, textIn, type SqlValue, type Steps } from "./statement.ts";

const columns = ["asked_branch", "asked_turn", "asked_message", "asked_body"];

/** Adds turns to branches, but for those that are there. */
export const appendBatch: Batch<NewUserMessage, true> = {
  keyOf: branchKeyOf,
  *steps(messages) {
    const writers = messages.map((message) => ({ key: branchKeyOf(message), fencingToken: 0 }));
    yield* lockWriters("branch", writers);
    yield* change(
      ({
        asked,
      }) => `INSERT INTO ccl_operation_turns (branch_key, position, turn_key, user_message, turn)
        SELECT asked_branch, 1 + coalesce(
          (SELECT max(other.position) FROM ccl_operation_turns other WHERE other.branch_key = asked_branch), 0
        ), asked_turn, asked_message, asked_body FROM ${asked} WHERE true
        ON CONFLICT (branch_key, turn_key) DO NOTHING`,
      { columns, rows: messages.map(insertedRow) },
    );
    return messages.map(() => true);
  },
  atOnce: appendAtOnce,
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
  return [
    branchKeyOf(message),
    keyOf(userMessageId),
    JSON.stringify(content),
    JSON.stringify(turn),
  ];
}

/** The last position is seen as the statement begins: where another has taken the one after it meanwhile, nothing is done. */
function* appendAtOnce(messages: readonly NewUserMessage[]): Steps<(true | undefined)[]> {
  const rows = yield* rowsOf(
    ({ asked }) => `WITH message AS MATERIALIZED (SELECT * FROM ${asked}), branch AS (
        INSERT INTO ccl_operation_branches AS stored (branch_key, fencing_token) SELECT asked_branch, 0 FROM message
        ON CONFLICT (branch_key) DO UPDATE SET fencing_token = stored.fencing_token RETURNING branch_key
      )
      INSERT INTO ccl_operation_turns (branch_key, position, turn_key, user_message, turn)
      SELECT asked_branch, 1 + coalesce(
        (SELECT max(other.position) FROM ccl_operation_turns other WHERE other.branch_key = asked_branch), 0
      ), asked_turn, asked_message, asked_body FROM message JOIN branch ON branch_key = asked_branch
      ON CONFLICT DO NOTHING RETURNING branch_key`,
    { columns, rows: messages.map(insertedRow) },
  );
  const added = new Set(rows.map((row) => textIn(row, "branch_key")));
  return messages.map((message) => added.has(branchKeyOf(message)) || undefined);
}
