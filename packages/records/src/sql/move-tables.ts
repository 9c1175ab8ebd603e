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

/** Moves what packages kept in tables of their own before this one was there, once, and drops these tables. */
export function* moveTables(): SqlSteps<void> {
  if (yield* isHandedOver("session_store")) {
    for (const log of yield* rowsOf("SELECT log_no, session_id, version FROM ccl_session_logs"))
      yield* moveLog(log);
    yield* moveStates();
    for (const table of ["events", "logs", "states"]) yield* run(`DROP TABLE ccl_session_${table}`);
  }
  if (yield* isHandedOver("operation_profiles")) {
    yield* moveProfiles();
    yield* run("DROP TABLE ccl_operation_profiles");
  }
}

/** Of two processes that open the database together the second waits for the first, and moves nothing. */
function* isHandedOver(component: string): SqlSteps<boolean> {
  const forget = "DELETE FROM ccl_schema WHERE component = ? RETURNING component";
  return (yield* rowsOf(forget, component)).length > 0;
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
  const rows = [...states].map(([id, state]) => recordRow(`session-state/${id}`, 1, state));
  yield* insertRows(insert, rows);
}

function* moveProfiles(): SqlSteps<void> {
  const stored = yield* rowsOf("SELECT profile_id, version, profile FROM ccl_operation_profiles");
  const rows = stored.map((row) => {
    const name = `profile/${requiredJsonIn<string>(row, "profile_id")}`;
    return recordRow(name, numberIn(row, "version"), textIn(row, "profile"));
  });
  yield* insertRows(insert, rows);
}

function recordRow(name: string, version: number, value: unknown): [key: string, text: string] {
  const key = keyOf("record", name);
  return [key, sealed(key, `${version} ${JSON.stringify(value)}`)];
}
