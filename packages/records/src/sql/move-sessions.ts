import { numberIn, requiredJsonIn, rowsOf, type SqlSteps, textIn } from "@ccl/sql";

import { moveLogRows, moveRecords } from "./move-log.ts";

/** Migrates each session to a log of events and a record of its state. */
export function* moveSessions(): SqlSteps<void> {
  for (const log of yield* rowsOf("SELECT log_no, session_id, version FROM ccl_session_logs")) {
    const name = `session/${textIn(log, "session_id")}`;
    const select =
      "SELECT position, event AS json, sha256 FROM ccl_session_events WHERE log_no = ? ORDER BY position";
    const events = yield* rowsOf(select, numberIn(log, "log_no"));
    yield* moveLogRows(name, numberIn(log, "version"), events);
  }
  const states = new Map<string, { [key: string]: string }>();
  for (const row of yield* rowsOf("SELECT session_id, state_key, value FROM ccl_session_states")) {
    const sessionId = textIn(row, "session_id");
    const state = states.get(sessionId) ?? Object.create(null);
    state[textIn(row, "state_key")] = requiredJsonIn<string>(row, "value");
    states.set(sessionId, state);
  }
  yield* moveRecords(
    [...states].map(([sessionId, state]) => ({
      name: `session-state/${sessionId}`,
      json: JSON.stringify(state),
      isWhole: true,
    })),
  );
}
