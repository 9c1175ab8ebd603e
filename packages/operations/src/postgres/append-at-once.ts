import type { PostgresSession } from "@ccl/sql";

import type { AppendOutcome, RunAppend } from "../ports/run-store.ts";
import { endOf, eventRowsOf, stepRowsOf } from "../sql/append-runs.ts";
import { keyOf, textIn, type SqlValue } from "../sql/statement.ts";
import { arrayOf } from "./array-text.ts";

// Everything hangs on the rows of `head`, which are locked: a row that another worker has taken over meanwhile is read
// again by PostgreSQL and is no longer among them.
const statement = `
WITH asked AS (
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[])
    AS asked(asked_run, asked_token, asked_first, asked_last, asked_epoch, asked_steps, asked_end, asked_result)
), head AS (
  SELECT stored.run_key AS head_run, stored.step_count AS head_steps
  FROM asked JOIN ccl_operation_runs stored ON stored.run_key = asked_run
  WHERE stored.fencing_token = asked_token AND stored.result IS NULL
    AND (asked_first IS NULL OR stored.last_seq = asked_first - 1)
  FOR NO KEY UPDATE OF stored
), new_events AS (
  INSERT INTO ccl_operation_events (run_key, first_seq, last_seq, events)
  SELECT new_run, new_first, new_last, new_text
  FROM unnest($9::text[], $10::bigint[], $11::bigint[], $12::text[]) AS new(new_run, new_first, new_last, new_text)
  JOIN head ON head_run = new_run
), new_steps AS (
  INSERT INTO ccl_operation_steps (run_key, step_key, position, step)
  SELECT new_run, new_key, head_steps + new_index, new_text
  FROM unnest($13::text[], $14::text[], $15::bigint[], $16::text[]) AS new(new_run, new_key, new_index, new_text)
  JOIN head ON head_run = new_run
  ON CONFLICT DO NOTHING
)
UPDATE ccl_operation_runs SET last_seq = coalesce(asked_last, last_seq), last_epoch = coalesce(asked_epoch, last_epoch),
  step_count = head_steps + asked_steps, result = asked_result, ended_at = asked_end,
  is_held = CASE WHEN asked_result IS NULL THEN is_held ELSE 0 END
FROM asked JOIN head ON head_run = asked_run
WHERE run_key = head_run
RETURNING run_key`;

/**
 * Appends in one statement, which is a transaction of its own and one way to the server and back. Undefined for what was
 * not added: another worker has the run, or the events do not follow what is stored; a closer look tells which.
 */
export async function appendAtOnce(
  session: PostgresSession,
  appends: readonly RunAppend[],
): Promise<(AppendOutcome | undefined)[]> {
  const heads = appends.map((append) => {
    const { runId, fencingToken, events, steps, result } = append;
    const last = events.at(-1);
    const numbers = [
      fencingToken,
      events[0]?.seq ?? null,
      last?.seq ?? null,
      last?.epoch ?? null,
      steps.length,
      endOf(append),
    ];
    return [keyOf(runId), ...numbers, result === undefined ? null : JSON.stringify(result)];
  });
  const events = appends.flatMap((append) => eventRowsOf(keyOf(append.runId), append.events));
  const steps = appends.flatMap((append) => stepRowsOf(keyOf(append.runId), append.steps, 0));
  const rows = await session.query(statement, [
    ...columnsOf(heads, 8),
    ...columnsOf(events, 4),
    ...columnsOf(steps, 4),
  ]);
  const added = new Set(rows.map((row) => textIn(row, "run_key")));
  return appends.map(({ runId }) => (added.has(keyOf(runId)) ? "appended" : undefined));
}

function columnsOf(rows: readonly (readonly SqlValue[])[], count: number): string[] {
  return Array.from({ length: count }, (_, column) =>
    arrayOf(rows.map((row) => row[column] ?? null)),
  );
}
