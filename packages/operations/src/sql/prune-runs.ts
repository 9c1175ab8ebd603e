import { textIn } from "@ccl/sql";
import type { Batch } from "./group-commit.ts";
import { change, rowsOf, type Steps } from "./statement.ts";

/** Which finished runs to delete. */
interface Pruning {
  endedBeforeMs: number;
  nowMs: number;
  limit: number;
}

/** Deletes finished runs and everything that belongs to them, one request after another. Returns how many. */
export const pruneBatch: Batch<Pruning, number> = {
  keyOf: () => "prune",
  *steps(requests) {
    const counts: number[] = [];
    for (const { endedBeforeMs, nowMs, limit } of requests) {
      const ended = yield* rowsOf(
        ({
          asked,
        }) => `SELECT run_key FROM ${asked} JOIN ccl_operation_runs stored ON ended_at < asked_before
          WHERE NOT EXISTS (SELECT 1 FROM ccl_operation_requests request
            WHERE request.run_key = stored.run_key AND kept_until > asked_now)
          ORDER BY ended_at, sort_key LIMIT ${limit}`,
        { columns: ["asked_before#", "asked_now#"], rows: [[Math.ceil(endedBeforeMs), nowMs]] },
      );
      counts.push(yield* deleteRuns(ended.map((row) => textIn(row, "run_key"))));
    }
    return counts;
  },
};

/** Deletes runs by key, with their events, steps and request ids. Returns how many existed. */
export function* deleteRuns(keys: readonly string[]): Steps<number> {
  const asked = { columns: ["asked_run"], rows: keys.map((key) => [key]) };
  const gone = yield* rowsOf(
    (parts) => `${deleteFrom("runs", parts.asked)} RETURNING run_key`,
    asked,
  );
  for (const table of ["events", "steps", "requests"])
    yield* change((parts) => deleteFrom(table, parts.asked), asked);
  return gone.length;
}

const deleteFrom = (table: string, asked: string): string =>
  `DELETE FROM ccl_operation_${table} WHERE run_key IN (SELECT asked_run FROM ${asked})`;
