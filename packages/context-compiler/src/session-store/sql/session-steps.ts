import { rowsOf, run, sortKeyOf, type SqlRow, type SqlSteps } from "@ccl/sql";
import { parseJson } from "@ccl/core/json";
import { canonicalJson, sha256Hex } from "@ccl/core";
import { ContextCompilerError } from "../../context-compiler-error.ts";
import { parseSessionEvent } from "../../session/parse-session-event.ts";
import type { SessionEvent } from "../../session/session-event.ts";
import type { EventPage, SessionPage } from "../session-store.ts";
import { conflictError } from "../store-input.ts";

/** Rows of one insert: their parameters stay far below what any driver takes. */
const rowsPerInsert = 200;

/** Adds events and gives the new version. */
export function* appendEvents(
  sessionId: string,
  events: readonly SessionEvent[],
  expectedVersion: number,
): SqlSteps<number> {
  const version = expectedVersion + events.length;
  if (expectedVersion === 0 && events.length > 0) {
    const insert =
      "INSERT INTO ccl_session_logs (session_id, sort_key, version) VALUES (?, ?, 0) ON CONFLICT DO NOTHING";
    yield* run(insert, sessionId, sortKeyOf(sessionId));
  }
  // The update takes the row's lock, so that the second of two writers sees what the first wrote.
  const update =
    "UPDATE ccl_session_logs SET version = ? WHERE session_id = ? AND version = ? RETURNING log_no";
  const [log] = yield* rowsOf(update, version, sessionId, expectedVersion);
  if (log === undefined) {
    const [row] = yield* rowsOf(
      "SELECT version FROM ccl_session_logs WHERE session_id = ?",
      sessionId,
    );
    const actual = numberOf(row, "version") ?? 0;
    if (actual === expectedVersion && events.length === 0) return actual;
    throw conflictError(sessionId, expectedVersion, actual);
  }
  const logNo = numberOf(log, "log_no") ?? 0;
  for (let start = 0; start < events.length; start += rowsPerInsert) {
    const rows = events.slice(start, start + rowsPerInsert).map((event, index) => {
      const json = canonicalJson(event);
      return [logNo, expectedVersion + start + index, json, sha256Hex(json)];
    });
    const places = rows.map(() => "(?, ?, ?, ?)").join(", ");
    yield* run(
      `INSERT INTO ccl_session_events (log_no, position, event, sha256) VALUES ${places}`,
      ...rows.flat(),
    );
  }
  return version;
}

/** A page of events from a position on. */
export function* readEvents(sessionId: string, from: number, limit: number): SqlSteps<EventPage> {
  const rows = yield* rowsOf(
    `SELECT e.position, e.event, e.sha256 FROM ccl_session_events e JOIN ccl_session_logs l ON l.log_no = e.log_no
     WHERE l.session_id = ? AND e.position >= ? ORDER BY e.position LIMIT ?`,
    sessionId,
    from,
    limit + 1,
  );
  const events = rows.slice(0, limit).map((row, index) => eventOf(row, sessionId, from + index));
  return rows.length > limit ? { events, cursor: String(from + limit) } : { events };
}

/** A page of the ids of sessions after that one. */
export function* listSessionIds(after: string, limit: number): SqlSteps<SessionPage> {
  const select =
    "SELECT session_id FROM ccl_session_logs WHERE sort_key > ? ORDER BY sort_key LIMIT ?";
  const rows = yield* rowsOf(select, sortKeyOf(after), limit + 1);
  const sessionIds = rows.slice(0, limit).map((row) => String(row["session_id"]));
  const last = sessionIds.at(-1);
  return rows.length > limit && last !== undefined ? { sessionIds, cursor: last } : { sessionIds };
}

/** Removes log and state; true if there was a log. */
export function* deleteLog(sessionId: string): SqlSteps<boolean> {
  yield* run("DELETE FROM ccl_session_states WHERE session_id = ?", sessionId);
  // The row of the log is taken first, as writers do, so that none adds events meanwhile.
  const take =
    "UPDATE ccl_session_logs SET version = version WHERE session_id = ? RETURNING log_no";
  const [log] = yield* rowsOf(take, sessionId);
  const logNo = numberOf(log, "log_no");
  if (logNo === undefined) return false;
  yield* run("DELETE FROM ccl_session_events WHERE log_no = ?", logNo);
  yield* run("DELETE FROM ccl_session_logs WHERE log_no = ?", logNo);
  return true;
}

/** Keeps or removes a text. It stands as a JSON string, which any database can hold. */
export function* writeState(
  sessionId: string,
  key: string,
  text: string | undefined,
): SqlSteps<void> {
  if (text === undefined) {
    yield* run(
      "DELETE FROM ccl_session_states WHERE session_id = ? AND state_key = ?",
      sessionId,
      key,
    );
    return;
  }
  yield* run(
    `INSERT INTO ccl_session_states (session_id, state_key, value) VALUES (?, ?, ?)
     ON CONFLICT (session_id, state_key) DO UPDATE SET value = excluded.value`,
    sessionId,
    key,
    JSON.stringify(text),
  );
}

/** The text under a key. */
export function* readState(sessionId: string, key: string): SqlSteps<string | undefined> {
  const select = "SELECT value FROM ccl_session_states WHERE session_id = ? AND state_key = ?";
  const [row] = yield* rowsOf(select, sessionId, key);
  if (row === undefined) return undefined;
  const value = parseJson(String(row["value"]));
  if (typeof value === "string") return value;
  throw new ContextCompilerError(
    "store_damaged",
    `The state "${key}" of session "${sessionId}" is damaged.`,
  );
}

function eventOf(row: SqlRow, sessionId: string, position: number): SessionEvent {
  const json = String(row["event"]);
  const isWhole = numberOf(row, "position") === position && sha256Hex(json) === row["sha256"];
  const parsed = isWhole ? parseSessionEvent(parseJson(json)) : undefined;
  if (parsed?.ok === true) return parsed.value;
  const text = `Event ${position} of session "${sessionId}" is missing, or not the one that was written.`;
  throw new ContextCompilerError("store_damaged", text, { details: { position } });
}

function numberOf(row: SqlRow | undefined, column: string): number | undefined {
  const value = row?.[column];
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}
