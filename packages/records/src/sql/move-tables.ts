import { numberIn, rowsOf, run, type SqlSteps } from "@ccl/sql";

import { RecordsError } from "../records-error.ts";
import { moveCatalog } from "./move-catalog.ts";
import { moveDecisions } from "./move-decisions.ts";
import { moveOperations } from "./move-operations.ts";
import { moveProfiles } from "./move-profiles.ts";
import { moveSessions } from "./move-sessions.ts";

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
    const taken = "DELETE FROM ccl_schema WHERE component = ? RETURNING version";
    const [row] = yield* rowsOf(taken, component);
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
