import { numberIn, textIn } from "@ccl/sql";
import { OperationsError } from "../operations-error.ts";
import { keyOf, rowsOf, type Steps } from "./statement.ts";

/** A writer to a branch. */
export interface Writer {
  /** Key of the branch. */
  key: string;
  fencingToken: number;
}

/** A writer with a lease. */
export interface FencedWriter extends Writer {
  runId: string;
}

/** Locks the rows, and creates missing ones. Returns the highest token of each key, those of the writers included. */
export function* lockWriters(writers: readonly Writer[]): Steps<Map<string, number>> {
  const rows = yield* rowsOf(
    ({ asked }) => `INSERT INTO ccl_operation_branches AS stored (branch_key, fencing_token)
      SELECT asked_key, asked_token FROM ${asked} WHERE true
      ON CONFLICT (branch_key) DO UPDATE SET fencing_token =
        CASE WHEN excluded.fencing_token > stored.fencing_token THEN excluded.fencing_token ELSE stored.fencing_token END
      RETURNING branch_key, fencing_token`,
    {
      columns: ["asked_key", "asked_token#"],
      rows: writers.map(({ key, fencingToken }) => [key, fencingToken]),
    },
  );
  return new Map(rows.map((row) => [textIn(row, "branch_key"), numberIn(row, "fencing_token")]));
}

/**
 * Locks the branches that are written. Returns an error for each writer whose lease is lost: a higher token has
 * written there, or was granted for the run. It also locks the leases, so that none is granted before the commit. Runs
 * of another store have no row here.
 */
export function* findStale(
  writers: readonly FencedWriter[],
): Steps<(OperationsError | undefined)[]> {
  const written = yield* lockWriters(writers);
  const rows = yield* rowsOf(
    ({ asked, hold }) => `SELECT run_key, fencing_token
      FROM ${asked} JOIN ccl_operation_runs stored ON run_key = asked_run ${hold}`,
    {
      columns: ["asked_run"],
      rows: [...new Set(writers.map(({ runId }) => keyOf(runId)))].map((key) => [key]),
    },
  );
  const given = new Map(
    rows.map((row) => [textIn(row, "run_key"), numberIn(row, "fencing_token")]),
  );
  return writers.map(({ key, runId, fencingToken }) => {
    const highest = Math.max(written.get(key) ?? 0, given.get(keyOf(runId)) ?? 0);
    if (highest <= fencingToken) return undefined;
    const message = `The lease with token ${fencingToken} is over: token ${highest} was given out since.`;
    return new OperationsError("stale_lease", message);
  });
}
