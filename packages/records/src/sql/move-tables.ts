import { rowsOf, run, type SqlSteps } from "@ccl/sql";

import { moveCatalog } from "./move-catalog.ts";
import { moveDecisions } from "./move-decisions.ts";
import { moveSessions } from "./move-sessions.ts";

/** What versions before this package kept in tables of its own, and what moves it into records. */
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
];

/** Moves what earlier versions wrote, once, and drops their tables. */
export function* moveTables(): SqlSteps<void> {
  const found = yield* rowsOf("SELECT component FROM ccl_schema");
  for (const { component, tables, move } of formers) {
    if (!found.some((row) => row["component"] === component)) continue;
    yield* move();
    for (const table of tables.split(" ")) yield* run(`DROP TABLE ${table}`);
    yield* run("DELETE FROM ccl_schema WHERE component = ?", component);
  }
}
