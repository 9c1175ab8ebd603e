import { numberIn, textIn } from "@ccl/sql";
import { OperationsError } from "../operations-error.ts";
import { keyOf, rowsOf, type Steps } from "./statement.ts";

/** What is written by one at a time. */
export type LockedKind = "branch" | "session";

const tables = { branch: "ccl_operation_branches", session: "ccl_operation_sessions" };

/** Who writes where. */
export interface Writer {
  /** Of the branch or the session. */
  key: string;
  fencingToken: number;
}

/** A writer under a lease. */
export interface FencedWriter extends Writer {
  runId: string;
}

/** Makes what is not there and locks it; gives the highest token of each key, those asked with among them. */
export function* lockWriters(
  kind: LockedKind,
  writers: readonly Writer[],
): Steps<Map<string, number>> {
  const keyColumn = `${kind}_key`;
  const rows = yield* rowsOf(
    ({ asked }) => `INSERT INTO ${tables[kind]} AS stored (${keyColumn}, fencing_token)
      SELECT asked_key, asked_token FROM ${asked} WHERE true
      ON CONFLICT (${keyColumn}) DO UPDATE SET fencing_token =
        CASE WHEN excluded.fencing_token > stored.fencing_token THEN excluded.fencing_token ELSE stored.fencing_token END
      RETURNING ${keyColumn}, fencing_token`,
    {
      columns: ["asked_key", "asked_token#"],
      rows: writers.map(({ key, fencingToken }) => [key, fencingToken]),
    },
  );
  return new Map(rows.map((row) => [textIn(row, keyColumn), numberIn(row, "fencing_token")]));
}

/**
 * Locks where is written. An error for each writer whose lease is over: a higher token has written there, or was given
 * out for the run, whose lease is held, so that none is given out before the commit. Runs of another store have no row here.
 */
export function* findStale(
  kind: LockedKind,
  writers: readonly FencedWriter[],
): Steps<(OperationsError | undefined)[]> {
  const written = yield* lockWriters(kind, writers);
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
