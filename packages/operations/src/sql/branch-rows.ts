import type { ChatBranch } from "../ports/chat-store.ts";
import type { StoredTurn } from "../ports/chat-turn.ts";
import { keyOf, numberIn, rowsOf, textIn, type Steps } from "./statement.ts";

/** What a branch is known by. */
export const branchKeyOf = ({ chatId, branchId }: ChatBranch): string => keyOf(chatId, branchId);

/** A turn as stored, with what was applied to it. */
export interface TurnRow extends StoredTurn {
  /** `runId/hook/operationId`. */
  applied: string[];
}

/** Makes branches that are not there and locks them; gives the highest token of each. */
export function* lockBranches(
  writers: readonly { branchKey: string; fencingToken: number }[],
): Steps<Map<string, number>> {
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
