import { jsonIn, textIn } from "@ccl/sql";
import { OperationsError } from "../operations-error.ts";
import type { AbortRequest, LeaseRenewal, LeaseRequest, RunLease } from "../ports/run-store.ts";
import { leaseOf, takeTokens } from "./create-runs.ts";
import type { Batch } from "./group-commit.ts";
import { change, keyOf, rowsOf, type Row, type Steps } from "./statement.ts";

/** Acquires leases. The outcome is null if the run is leased or has ended. */
export const acquireBatch: Batch<LeaseRequest & { runId: string }, RunLease | null> = {
  keyOf: ({ runId }) => runId,
  *steps(requests) {
    const firstToken = yield* takeTokens(requests.length);
    yield* rowsOf(
      ({ asked, takeOver }) => `SELECT run_key FROM ${asked}
        JOIN ccl_operation_runs stored ON run_key = asked_run ${takeOver}`,
      { columns: ["asked_run"], rows: requests.map(({ runId }) => [keyOf(runId)]) },
    );
    const leases = requests.map((request, index) =>
      leaseOf(request.runId, request, firstToken + index),
    );
    const rows = yield* rowsOf(
      ({ asked }) => `UPDATE ccl_operation_runs
        SET lease_owner = asked_owner, fencing_token = asked_token, expires_at = asked_expiry, is_held = 1
        FROM ${asked} WHERE run_key = asked_run AND result IS NULL AND (is_held = 0 OR expires_at <= asked_now)
        RETURNING run_key`,
      {
        columns: ["asked_run", "asked_owner", "asked_token#", "asked_expiry#", "asked_now#"],
        rows: leases.map(({ runId, owner, fencingToken, expiresAtMs }, index) => {
          return [
            keyOf(runId),
            keyOf(owner),
            fencingToken,
            expiresAtMs,
            requests[index]?.nowMs ?? 0,
          ];
        }),
      },
    );
    const given = keysOf(rows);
    const refused = leases.map(({ runId }) => keyOf(runId)).filter((key) => !given.has(key));
    const unknown = yield* unknownRuns(refused);
    return leases.map((lease) => {
      const key = keyOf(lease.runId);
      return given.has(key) ? lease : (unknown.get(key) ?? null);
    });
  },
};

interface Renewing {
  lease: RunLease;
  ttlMs: number;
  nowMs: number;
}

/** Renews leases if they are the last ones granted. */
export const renewBatch: Batch<Renewing, LeaseRenewal> = {
  keyOf: ({ lease }) => lease.runId,
  *steps(requests) {
    const rows = yield* rowsOf(
      ({
        asked,
      }) => `UPDATE ccl_operation_runs SET expires_at = asked_expiry, is_held = 1 FROM ${asked}
        WHERE run_key = asked_run AND fencing_token = asked_token AND result IS NULL RETURNING run_key, abort_request`,
      {
        columns: ["asked_run", "asked_token#", "asked_expiry#"],
        rows: requests.map(({ lease, ttlMs, nowMs }) => [
          keyOf(lease.runId),
          lease.fencingToken,
          nowMs + ttlMs,
        ]),
      },
    );
    const renewed = new Map(rows.map((row) => [textIn(row, "run_key"), row]));
    return requests.map(({ lease, ttlMs, nowMs }): LeaseRenewal => {
      const row = renewed.get(keyOf(lease.runId));
      if (row === undefined) return { status: "lost" };
      const abort = jsonIn<AbortRequest>(row, "abort_request");
      return {
        status: "renewed",
        lease: { ...lease, expiresAtMs: nowMs + ttlMs },
        abort,
      };
    });
  },
};

/** Releases leases. */
export const releaseBatch: Batch<RunLease, true> = {
  keyOf: ({ runId }) => runId,
  *steps(leases) {
    yield* change(
      ({ asked }) => `UPDATE ccl_operation_runs SET is_held = 0 FROM ${asked}
        WHERE run_key = asked_run AND fencing_token = asked_token`,
      {
        columns: ["asked_run", "asked_token#"],
        rows: leases.map(({ runId, fencingToken }) => [keyOf(runId), fencingToken]),
      },
    );
    return leases.map(() => true);
  },
};

/** Requests aborts of runs. The first request for a run stays. */
export const abortBatch: Batch<{ runId: string; request: AbortRequest }, boolean> = {
  keyOf: ({ runId }) => runId,
  *steps(requests) {
    const rows = yield* rowsOf(
      ({
        asked,
      }) => `UPDATE ccl_operation_runs SET abort_request = coalesce(abort_request, asked_abort) FROM ${asked}
        WHERE run_key = asked_run AND result IS NULL RETURNING run_key`,
      {
        columns: ["asked_run", "asked_abort"],
        rows: requests.map(({ runId, request }) => [keyOf(runId), JSON.stringify(request)]),
      },
    );
    const updated = keysOf(rows);
    const keys = requests.map(({ runId }) => keyOf(runId));
    const unknown = yield* unknownRuns(keys.filter((key) => !updated.has(key)));
    return keys.map((key) => unknown.get(key) ?? updated.has(key));
  },
};

const keysOf = (rows: readonly Row[]): Set<string> =>
  new Set(rows.map((row) => textIn(row, "run_key")));

/** Returns an error for each key that no run has. */
function* unknownRuns(keys: readonly string[]): Steps<Map<string, OperationsError>> {
  const rows = yield* rowsOf(
    ({ asked }) => `SELECT run_key FROM ${asked} JOIN ccl_operation_runs ON run_key = asked_run`,
    { columns: ["asked_run"], rows: keys.map((key) => [key]) },
  );
  const known = keysOf(rows);
  return new Map(keys.filter((key) => !known.has(key)).map((key) => [key, unknownRun(key)]));
}

/** The error for a key that no run has. */
export function unknownRun(key: string): OperationsError {
  return new OperationsError("unknown_run", `There is no run ${key}.`);
}
