import { jsonIn, textIn } from "@ccl/sql";
import { OperationsError } from "../operations-error.ts";
import type { ProfileSessionKey, SessionSnapshot } from "../ports/profile-session-store.ts";
import { headsOf, snapshot } from "../ports/session-state.ts";
import { lockWriters } from "./lock-writers.ts";
import type { Batch } from "./group-commit.ts";
import { guarded } from "./guarded.ts";
import { loadSessions, sessionKeyOf } from "./session-rows.ts";
import { change, keyOf, rowsOf, type Steps } from "./statement.ts";

/** The start of a turn. */
export interface Opening {
  key: ProfileSessionKey;
  userMessageId: string;
}

/** Gives the state of sessions as their turns begin. */
export const openBatch: Batch<Opening, SessionSnapshot> = {
  keyOf: ({ key }) => sessionKeyOf(key),
  *steps(openings) {
    const keys = openings.map(({ key }) => sessionKeyOf(key));
    const writers = keys.map((key) => ({ key, fencingToken: 0 }));
    yield* lockWriters("session", writers);
    const sessions = yield* loadSessions(keys.map((sessionKey) => ({ sessionKey })));
    const known = yield* headsAt(openings);
    const moved: string[][] = [];
    const outcomes = openings.map(({ userMessageId }, index) => {
      const sessionKey = keys[index] ?? "";
      const session = sessions.get(sessionKey);
      if (session === undefined)
        return new OperationsError("store_failed", "The session was not loaded.");
      const heads = known.get(keyOf(sessionKey, userMessageId)) ?? headsOf(session);
      const opened = guarded(() => snapshot(session, heads, userMessageId));
      if ("artifacts" in opened)
        moved.push([sessionKey, keyOf(userMessageId), JSON.stringify(heads)]);
      return opened;
    });
    yield* change(
      ({ asked }) => `INSERT INTO ccl_operation_turn_heads (session_key, turn_key, opened, heads)
        SELECT asked_session, asked_turn, 1 + coalesce(
          (SELECT max(other.opened) FROM ccl_operation_turn_heads other WHERE other.session_key = asked_session), 0
        ), asked_heads FROM ${asked} WHERE true
        ON CONFLICT (session_key, turn_key) DO UPDATE SET opened = excluded.opened`,
      { columns: ["asked_session", "asked_turn", "asked_heads"], rows: moved },
    );
    return outcomes;
  },
};

function* headsAt(openings: readonly Opening[]): Steps<Map<string, Record<string, number>>> {
  const rows = yield* rowsOf(
    ({ asked }) => `SELECT session_key, turn_key, heads FROM ${asked}
      JOIN ccl_operation_turn_heads ON session_key = asked_session AND turn_key = asked_turn`,
    {
      columns: ["asked_session", "asked_turn"],
      rows: openings.map(({ key, userMessageId }) => [sessionKeyOf(key), keyOf(userMessageId)]),
    },
  );
  return new Map(
    rows.map((row) => [
      keyOf(textIn(row, "session_key"), jsonIn<string>(row, "turn_key") ?? ""),
      jsonIn<Record<string, number>>(row, "heads") ?? {},
    ]),
  );
}
