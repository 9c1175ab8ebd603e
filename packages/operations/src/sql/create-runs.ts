import { numberIn, requiredJsonIn, sortKeyOf, textIn } from "@ccl/sql";
import { OperationsError } from "../operations-error.ts";
import type { LeaseRequest, NewRun, RunCreation, RunLease } from "../ports/run-store.ts";
import type { Batch } from "./group-commit.ts";
import { change, keyOf, rowsOf, type SqlValue, type Steps } from "./statement.ts";

type Creation = RunCreation | OperationsError;

// The run that holds the branch may end between two looks.
const maxLooks = 10;

/** Creates runs. It checks known requests first, then the branch, for which the database accepts one run only. */
export const createRunBatch: Batch<NewRun, RunCreation> = {
  keyOf: ({ input }) => keyOf(input.chatId, input.branchId),
  *steps(runs) {
    // Every writer of leases waits here, so that one at a time does all of this.
    const firstToken = yield* takeTokens(runs.length);
    const creations = yield* findRequests(runs);
    yield* forgetRequests(runs);
    const wanted = runs.flatMap((run, index) =>
      creations[index] === undefined ? [{ run, index }] : [],
    );
    let open = wanted.map(({ run, index }): Opening => ({
      ...run,
      index,
      token: firstToken + index,
    }));
    for (let look = 1; open.length > 0; look += 1) {
      const missed = yield* insertRuns(open, creations);
      open = look < maxLooks ? yield* findActive(missed, creations) : [];
    }
    yield* keepRequests(runs, creations);
    return runs.map(
      (_, index) =>
        creations[index] ?? new OperationsError("store_failed", "The run could not be made."),
    );
  },
};

interface Opening extends NewRun {
  index: number;
  token: number;
}

/** Reserves that many tokens, higher than all before, and returns the first. */
export function* takeTokens(count: number): Steps<number> {
  const sql = `UPDATE ccl_operation_tokens SET last_token = last_token + `;
  const rows = yield* rowsOf(
    ({ asked }) => `${sql}asked_count FROM ${asked} WHERE id = 1 RETURNING last_token`,
    {
      columns: ["asked_count#"],
      rows: [[count]],
    },
  );
  const [row] = rows;
  if (row === undefined) throw new OperationsError("store_damaged", "The row of tokens is gone.");
  return numberIn(row, "last_token") - count + 1;
}

/** A lease that starts now. */
export function leaseOf(
  runId: string,
  { owner, ttlMs, nowMs }: LeaseRequest,
  fencingToken: number,
): RunLease {
  return { runId, owner, fencingToken, expiresAtMs: nowMs + ttlMs };
}

const requestKeyOf = ({ input, clientRequest }: NewRun): string | undefined =>
  clientRequest && keyOf(input.chatId, input.branchId, clientRequest.clientRequestId);

function* findRequests(runs: readonly NewRun[]): Steps<(Creation | undefined)[]> {
  const keys = runs.map(requestKeyOf).filter((key) => key !== undefined);
  const rows = yield* rowsOf(
    ({ asked }) => `SELECT request_key, run_key, payload_hash, kept_until
      FROM ${asked} JOIN ccl_operation_requests ON request_key = asked_request`,
    { columns: ["asked_request"], rows: keys.map((key) => [key]) },
  );
  const known = new Map(rows.map((row) => [textIn(row, "request_key"), row]));
  return runs.map((run) => {
    const row = known.get(requestKeyOf(run) ?? "");
    if (row === undefined || numberIn(row, "kept_until") <= run.lease.nowMs) return undefined;
    const runId: string = requiredJsonIn(row, "run_key");
    const isSame = textIn(row, "payload_hash") === run.clientRequest?.payloadHash;
    return { status: isSame ? "duplicate" : "payload_conflict", runId };
  });
}

function* forgetRequests(runs: readonly NewRun[]): Steps<void> {
  const asking = runs.filter(({ clientRequest }) => clientRequest !== undefined);
  if (asking.length === 0) return;
  const nowMs = Math.min(...asking.map(({ lease }) => lease.nowMs));
  const sql = "DELETE FROM ccl_operation_requests WHERE kept_until <= (SELECT asked_now FROM ";
  yield* change(({ asked }) => `${sql}${asked})`, { columns: ["asked_now#"], rows: [[nowMs]] });
}

const runColumns = `run_key, sort_key, branch_key, input, last_seq, last_epoch, step_count, lease_owner, fencing_token,
  expires_at, is_held`;

function insertedRow({ input, lease }: NewRun, place: number): SqlValue[] {
  return [
    keyOf(input.runId),
    sortKeyOf(input.runId),
    keyOf(input.chatId, input.branchId),
    JSON.stringify(input),
    keyOf(lease.owner),
    place,
    lease.nowMs + lease.ttlMs,
  ];
}

/** Inserts runs. Returns those whose branch or id is taken. */
function* insertRuns(
  open: readonly Opening[],
  creations: (Creation | undefined)[],
): Steps<Opening[]> {
  const leases = open.map(({ input, lease, token }) => leaseOf(input.runId, lease, token));
  const rows = yield* rowsOf(
    ({ asked }) => `INSERT INTO ccl_operation_runs (${runColumns})
      SELECT asked_run, asked_sort, asked_branch, asked_input, 0, 0, 0, asked_owner, asked_token, asked_expiry, 1
      FROM ${asked} WHERE true ON CONFLICT DO NOTHING RETURNING run_key`,
    {
      columns: [
        "asked_run",
        "asked_sort",
        "asked_branch",
        "asked_input",
        "asked_owner",
        "asked_token#",
        "asked_expiry#",
      ],
      rows: open.map((run) => insertedRow(run, run.token)),
    },
  );
  const inserted = new Set(rows.map((row) => textIn(row, "run_key")));
  return open.filter(({ input, index }, at) => {
    const lease = leases[at];
    // If one batch contains an id twice, only one branch gets it.
    if (lease === undefined || !inserted.delete(keyOf(input.runId))) return true;
    creations[index] = { status: "created", lease };
    return false;
  });
}

/** Returns those whose branch has become free since. */
function* findActive(
  missed: readonly Opening[],
  creations: (Creation | undefined)[],
): Steps<Opening[]> {
  const rows = yield* rowsOf(
    ({
      asked,
    }) => `SELECT run_key, branch_key, CASE WHEN result IS NULL THEN 1 ELSE 0 END AS is_active
      FROM ${asked} JOIN ccl_operation_runs ON (branch_key = asked_branch AND result IS NULL) OR run_key = asked_run`,
    {
      columns: ["asked_branch", "asked_run"],
      rows: missed.map(({ input }) => [keyOf(input.chatId, input.branchId), keyOf(input.runId)]),
    },
  );
  const active = new Map(
    rows.filter((row) => row["is_active"] === 1).map((row) => [textIn(row, "branch_key"), row]),
  );
  const ids = new Set(rows.map((row) => textIn(row, "run_key")));
  return missed.filter(({ input, index }) => {
    const row = active.get(keyOf(input.chatId, input.branchId));
    if (row !== undefined)
      creations[index] = { status: "active", runId: requiredJsonIn(row, "run_key") };
    else if (ids.has(keyOf(input.runId))) {
      creations[index] = new OperationsError(
        "invalid_options",
        `There is a run ${keyOf(input.runId)} already.`,
      );
    }
    return creations[index] === undefined;
  });
}

function* keepRequests(
  runs: readonly NewRun[],
  creations: readonly (Creation | undefined)[],
): Steps<void> {
  const rows = runs.flatMap((run, index) => {
    const creation = creations[index];
    const key = requestKeyOf(run);
    const isCreated =
      creation !== undefined && "status" in creation && creation.status === "created";
    if (!isCreated || key === undefined || run.clientRequest === undefined) return [];
    const { payloadHash, keptUntilMs } = run.clientRequest;
    return [[key, keyOf(run.input.runId), payloadHash, keptUntilMs]];
  });
  yield* change(
    ({
      asked,
    }) => `INSERT INTO ccl_operation_requests (request_key, run_key, payload_hash, kept_until)
      SELECT asked_request, asked_run, asked_hash, asked_until FROM ${asked} WHERE true
      ON CONFLICT (request_key) DO UPDATE SET run_key = excluded.run_key, payload_hash = excluded.payload_hash,
        kept_until = excluded.kept_until`,
    { columns: ["asked_request", "asked_run", "asked_hash", "asked_until#"], rows },
  );
}
