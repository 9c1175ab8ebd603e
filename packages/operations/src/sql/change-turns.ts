import { requiredJsonIn, textIn } from "@ccl/sql";
import type { ChatBranch, TurnOutcome } from "../ports/chat-store.ts";
import type { KeptWrite, VariantState } from "../ports/chat-state.ts";
import { shownState, type StoredTurn } from "../ports/chat-turn.ts";
import { unknownTurn } from "../ports/conversation-store.ts";
import { branchKeyOf, type TurnRow } from "./branch-rows.ts";
import { guarded } from "./guarded.ts";
import { insertWrites, type NewWrite } from "./kept-writes.ts";
import { findStale } from "./lock-writers.ts";
import type { Batch } from "./group-commit.ts";
import { change, keyOf, rowsOf, type Steps } from "./statement.ts";

/** A change of one turn, by a run under a lease or by a user. */
export interface TurnChange extends ChatBranch {
  /** State of the run, for its writes. */
  state?: VariantState | undefined;
  /** Undefined for a user's change, which needs no lease. */
  runId?: string | undefined;
  fencingToken?: number | undefined;
  userMessageId: string;
  apply(
    turn: StoredTurn,
    on: { applied: Set<string>; keep(write: KeptWrite): void },
  ): TurnOutcome[];
}

/** Changes turns under leases. */
export const turnBatch: Batch<TurnChange, TurnOutcome[]> = {
  keyOf: branchKeyOf,
  *steps(changes) {
    const keys = changes.map(branchKeyOf);
    const stale = yield* findStale(
      changes.map(({ runId = "", fencingToken = 0 }, index) => ({
        key: keys[index] ?? "",
        runId,
        fencingToken,
      })),
    );
    const turns = yield* findTurns(changes);
    const changed: ChangedTurn[] = [];
    const writes: NewWrite[] = [];
    const outcomes = changes.map(({ runId, userMessageId, apply }, index) => {
      const turn = turns.get(keyOf(keys[index] ?? "", userMessageId));
      const refusal =
        (runId === undefined ? undefined : stale[index]) ??
        (turn === undefined ? unknownTurn(userMessageId) : undefined);
      if (refusal !== undefined || turn === undefined) return refusal ?? unknownTurn(userMessageId);
      const applied = new Set(turn.applied);
      const branchKey = keys[index] ?? "";
      const keep = (kept: KeptWrite): void => {
        const { session = "" } = changes[index]?.state ?? {};
        writes.push({ branchKey, userMessageId, session, kept });
      };
      const outcome = guarded(() => apply(turn, { applied, keep }));
      if (!Array.isArray(outcome)) return outcome;
      turn.applied = [...applied];
      changed.push({ branchKey, turn });
      return outcome;
    });
    yield* saveTurns(changed);
    yield* insertWrites(writes);
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

/** A changed turn. */
interface ChangedTurn {
  branchKey: string;
  turn: StoredTurn;
}

/** Updates existing turns. */
export function* saveTurns(turns: readonly ChangedTurn[]): Steps<void> {
  yield* change(
    ({
      asked,
    }) => `UPDATE ccl_operation_turns SET state_session = asked_session, state_run = asked_run, state_heads = asked_heads, turn = asked_body
      FROM ${asked} WHERE branch_key = asked_branch AND turn_key = asked_turn`,
    {
      columns: ["asked_branch", "asked_turn", ...askedState, "asked_body"],
      rows: turns.map(({ branchKey, turn }) => [
        branchKey,
        keyOf(turn.userMessageId),
        ...stateOf(turn),
        JSON.stringify(turn),
      ]),
    },
  );
}

/** Columns for the state that a turn shows, as `stateOf` returns them, and their names in a statement. */
export const stateColumns = "state_session, state_run, state_heads";
export const askedState: readonly string[] = ["asked_session", "asked_run", "asked_heads"];

/** The state that a turn shows, in columns, so that a query finds it without reading turns. */
export function stateOf(turn: StoredTurn): (string | null)[] {
  const state = shownState(turn);
  if (state === undefined) return [null, null, null];
  return [keyOf(state.session), keyOf(state.runId), JSON.stringify(state.heads)];
}
