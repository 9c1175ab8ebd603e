import { sha256Hex } from "@ccl/core";
import {
  insertRows,
  numberIn,
  requiredJsonIn,
  rowsOf,
  run,
  type SqlRow,
  type SqlSteps,
  textIn,
} from "@ccl/sql";

import { entryKey, keyOf } from "../records/stored-key.ts";
import { noSum, sealed, sumOf } from "../records/stored-text.ts";

const eventsAtOnce = 500;
const insert = "INSERT INTO ccl_records (key, value) VALUES ROWS";

/** Moves the sessions of the tables that versions before this package had, and drops these tables. */
export function* moveSessions(): SqlSteps<void> {
  const component = "FROM ccl_schema WHERE component = 'session_store'";
  const found = yield* rowsOf(`SELECT version ${component}`);
  if (found.length === 0) return;
  for (const log of yield* rowsOf("SELECT log_no, session_id, version FROM ccl_session_logs"))
    yield* moveLog(log);
  yield* moveStates();
  for (const table of ["events", "logs", "states"]) yield* run(`DROP TABLE ccl_session_${table}`);
  yield* run(`DELETE ${component}`);
}

function* moveLog(log: SqlRow): SqlSteps<void> {
  const name = `session/${textIn(log, "session_id")}`;
  const version = numberIn(log, "version");
  let last = noSum;
  for (let from = 0; from < version; from += eventsAtOnce) {
    const rows = yield* rowsOf(
      "SELECT position, event, sha256 FROM ccl_session_events WHERE log_no = ? AND position >= ? AND position < ?",
      numberIn(log, "log_no"),
      from,
      from + eventsAtOnce,
    );
    rows.sort((one, other) => numberIn(one, "position") - numberIn(other, "position"));
    const entries: [key: string, text: string][] = [];
    for (const row of rows) {
      const key = entryKey(name, numberIn(row, "position"));
      const json = textIn(row, "event");
      // One that is damaged keeps no checksum that holds, so that reading it fails.
      const isWhole = sha256Hex(json) === textIn(row, "sha256");
      const text = isWhole ? sealed(key, `${last} ${json}`) : `${noSum} ${last} ${json}`;
      entries.push([key, text]);
      last = sumOf(text);
    }
    yield* insertRows(insert, entries);
  }
  const key = keyOf("log", name);
  yield* insertRows(insert, [[key, sealed(key, `${version} ${last}`)]]);
}

function* moveStates(): SqlSteps<void> {
  const states = new Map<string, { [key: string]: string }>();
  for (const row of yield* rowsOf("SELECT session_id, state_key, value FROM ccl_session_states")) {
    const sessionId = textIn(row, "session_id");
    const state = states.get(sessionId) ?? Object.create(null);
    state[textIn(row, "state_key")] = requiredJsonIn<string>(row, "value");
    states.set(sessionId, state);
  }
  const rows = [...states].map(([sessionId, state]) => {
    const key = keyOf("record", `session-state/${sessionId}`);
    return [key, sealed(key, `1 ${JSON.stringify(state)}`)];
  });
  yield* insertRows(insert, rows);
}
