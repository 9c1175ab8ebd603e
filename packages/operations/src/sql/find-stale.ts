import { OperationsError } from "../operations-error.ts";
import { keyOf, numberIn, rowsOf, textIn, type Steps } from "./statement.ts";

/** A write under a lease, and the highest token that has written at the same place. */
export interface FencedWrite {
  runId: string;
  fencingToken: number;
  highestToken: number;
}

/**
 * An error for each write whose lease is over: a higher token has written at the same place, or was given out for the
 * run, whose lease is held, so that none is given out before the commit. Runs of another store have no row here.
 */
export function* findStale(writes: readonly FencedWrite[]): Steps<(OperationsError | undefined)[]> {
  const rows = yield* rowsOf(
    ({ asked, hold }) => `SELECT run_key, fencing_token
      FROM ${asked} JOIN ccl_operation_runs stored ON run_key = asked_run ${hold}`,
    { columns: ["asked_run"], rows: [...new Set(writes.map(({ runId }) => keyOf(runId)))].map((key) => [key]) },
  );
  const tokens = new Map(rows.map((row) => [textIn(row, "run_key"), numberIn(row, "fencing_token")]));
  return writes.map(({ runId, fencingToken, highestToken }) => {
    const highest = Math.max(highestToken, tokens.get(keyOf(runId)) ?? 0);
    if (highest <= fencingToken) return undefined;
    const message = `The lease with token ${fencingToken} is over: token ${highest} was given out since.`;
    return new OperationsError("stale_lease", message);
  });
}
