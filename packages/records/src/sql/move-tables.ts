import {
  numberIn,
  rowsOf,
  run,
  type SqlSteps,
  requiredJsonIn,
  textIn,
  bytesIn,
  type SqlRow,
  textOfSortKey,
} from "@ccl/sql";
import { sha256Hex } from "@ccl/core";
import { toBase64 } from "@ccl/core/json";
import { RecordsError } from "../records-error.ts";
import { moveOperations } from "./move-operations.ts";
import { moveRecords, moveLog, moveLogRows, jsonOfRow } from "./move-log.ts";

const operationTables = "tokens runs requests events steps branches turns writes".replaceAll(
  /\w+/g,
  "ccl_operation_$&",
);
/** Versions of the operations tables that can be migrated. Versions before 5 contain the profiles. */
const [firstOperations, firstWithoutProfiles] = [4, 5];

/** Tables of versions before this package, and the functions that move them to records. */
const formers: { component: string; tables: string; move(): SqlSteps<void> }[] = [
  {
    component: "session_store",
    tables: "ccl_session_events ccl_session_logs ccl_session_states",
    move: moveSessions,
  },
  {
    component: "catalog_store",
    tables: "ccl_catalog_state ccl_catalog_resources ccl_catalog_history ccl_catalog_vectors",
    move: moveCatalog,
  },
  { component: "gateway", tables: "ccl_gateway_decisions", move: moveDecisions },
  { component: "operation_profiles", tables: "ccl_operation_profiles", move: moveProfiles },
  { component: "operations", tables: operationTables, move: moveOperations },
];

/** True if there is something to migrate. A read-only database counts as having nothing. */
export function* hasFormerTables(): SqlSteps<boolean> {
  const rows = yield* rowsOf("SELECT component FROM ccl_schema");
  return rows.some((row) => formers.some(({ component }) => component === row["component"]));
}

/** Migrates data from earlier versions, once, and drops its tables. */
export function* moveTables(): SqlSteps<void> {
  for (const { component, tables, move } of formers) {
    // If two processes open the database at once, the second waits here for the first and moves nothing.
    const deletion = "DELETE FROM ccl_schema WHERE component = ? RETURNING version";
    const [row] = yield* rowsOf(deletion, component);
    if (row === undefined) continue;
    if (component === "operations") yield* checkOperations(numberIn(row, "version"));
    yield* move();
    for (const table of tables.split(" ")) yield* run(`DROP TABLE ${table}`);
  }
}

function* checkOperations(version: number): SqlSteps<void> {
  if (version < firstOperations) {
    const message = `The tables of @ccl/operations have version ${version}. Open them once with a version of it that keeps tables, which brings them to version 6.`;
    throw new RecordsError("unavailable", message);
  }
  if (version >= firstWithoutProfiles) return;
  yield* moveProfiles();
  yield* run("DROP TABLE ccl_operation_profiles");
}

/** Migrates operations profiles to one record each, keeping their versions. */
function* moveProfiles(): SqlSteps<void> {
  const rows = yield* rowsOf("SELECT profile_id, version, profile FROM ccl_operation_profiles");
  yield* moveRecords(
    rows.map((row) => ({
      name: `profile/${requiredJsonIn<string>(row, "profile_id")}`,
      version: numberIn(row, "version"),
      json: JSON.stringify(textIn(row, "profile")),
    })),
  );
}

/** Migrates gateway decisions to one log per session. Only PostgreSQL has this table. */
function* moveDecisions(): SqlSteps<void> {
  const select = `SELECT session, decision::text AS decision, (extract(epoch FROM kept_at) * 1000)::float8 AS kept
    FROM ccl_gateway_decisions ORDER BY session, kept_at`;
  const sessions = new Map<string, string[]>();
  for (const row of yield* rowsOf(select)) {
    const session = textIn(row, "session");
    const decision = requiredJsonIn<object>(row, "decision");
    const json = JSON.stringify({ ...decision, keptAtMs: numberIn(row, "kept") });
    sessions.set(session, [...(sessions.get(session) ?? []), json]);
  }
  for (const [session, all] of sessions) {
    const entries = all.map((json) => ({ json }));
    yield* moveLog(`gateway/decisions/${session}`, entries);
  }
}

/** Migrates each session to a log of events and a record of its state. */
function* moveSessions(): SqlSteps<void> {
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
    })),
  );
}

/** Longer ids end with their hash, as written by @ccl/catalog. */
const longestId = 200;

/** Migrates a catalogue: a record per resource, a log of its history, and a record per vector. */
function* moveCatalog(): SqlSteps<void> {
  const resources = yield* rowsOf(
    "SELECT id_key, record AS json, sha256 FROM ccl_catalog_resources WHERE record IS NOT NULL",
  );
  yield* moveRecords(
    resources.map((row) => ({ name: `catalog/resource/${nameIn(row)}`, ...jsonOfRow(row) })),
  );
  const histories =
    "SELECT id_key, max(position) AS version FROM ccl_catalog_history GROUP BY id_key";
  for (const row of yield* rowsOf(histories)) {
    const select = `SELECT position - 1 AS position, entry AS json, sha256 FROM ccl_catalog_history
      WHERE id_key = ? ORDER BY position`;
    const entries = yield* rowsOf(select, textIn(row, "id_key"));
    yield* moveLogRows(`catalog/history/${nameIn(row)}`, numberIn(row, "version"), entries);
  }
  const vectors = yield* rowsOf("SELECT embedder_key, hash_key, vector FROM ccl_catalog_vectors");
  yield* moveRecords(
    vectors.map((row) => {
      const space = sha256Hex(textOfSortKey(textIn(row, "embedder_key"))).slice(0, 32);
      const name = `catalog/vector/${space}/${textOfSortKey(textIn(row, "hash_key"))}`;
      const json = JSON.stringify(toBase64(bytesIn(row, "vector") ?? new Uint8Array()));
      return { name, json };
    }),
  );
}

function nameIn(row: SqlRow): string {
  const id = textOfSortKey(textIn(row, "id_key"));
  return id.length <= longestId ? id : id.slice(0, longestId) + sha256Hex(id);
}
