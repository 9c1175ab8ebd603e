import { numberIn, requiredJsonIn, rowsOf, type SqlSteps, textIn } from "@ccl/sql";

import { moveLog } from "./move-log.ts";

/** Migrates gateway decisions to one log per session. Only PostgreSQL has this table. */
export function* moveDecisions(): SqlSteps<void> {
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
    const entries = all.map((json, position) => ({ json, position, isWhole: true }));
    yield* moveLog(`gateway/decisions/${session}`, all.length, entries);
  }
}
