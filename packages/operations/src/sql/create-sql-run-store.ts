import { OperationsError } from "../operations-error.ts";
import { pageLimit } from "@ccl/core/paging";
import { jsonIn, numberIn, requiredJsonIn, sortKeyOf } from "@ccl/sql";
import type { RunEvent } from "../events/run-event.ts";
import type { RunStep } from "../ports/run-step.ts";
import { pageStart } from "../ports/page-start.ts";
import type {
  AbortRequest,
  ListRunsOptions,
  RunInput,
  RunLease,
  RunPage,
  RunStore,
  StoredRun,
} from "../ports/run-store.ts";
import type { RunResult } from "../run/run-result.ts";
import { answerBatch, appendBatch } from "./append-runs.ts";
import { createRunBatch } from "./create-runs.ts";
import { abortBatch, acquireBatch, releaseBatch, renewBatch, unknownRun } from "./lease-runs.ts";
import { pruneBatch } from "./prune-runs.ts";
import { maxEventsInRow, unpacked, unpackEvents } from "./run-rows.ts";
import type { SqlDatabase } from "./sql-database.ts";
import { keyOf, rowsOf, type Row, type Steps } from "./statement.ts";

/** Stores runs in a database, for any number of workers. */
export function createSqlRunStore(database: SqlDatabase): RunStore {
  const create = database.writer("leases", createRunBatch);
  const acquire = database.writer("leases", acquireBatch);
  const renew = database.writer("leases", renewBatch);
  const release = database.writer("leases", releaseBatch);
  const append = database.writer("journal", appendBatch);
  const abort = database.writer("leases", abortBatch);
  const answer = database.writer("journal", answerBatch);
  const prune = database.writer("prune", pruneBatch);
  return {
    createRun: create,
    loadRun: (runId, call) => database.readTogether(() => loadRun(runId), call),
    acquireLease: async (runId, request, call) =>
      (await acquire({ ...request, runId }, call)) ?? undefined,
    renewLease: (lease, request, call) => renew({ lease, ...request }, call),
    async releaseLease(lease, call) {
      await release(lease, call);
    },
    append: (appends, call) => Promise.all(appends.map((one) => append(one, call))),
    async readEvents(runId, options) {
      const limit = pageLimit(options?.limit, { byDefault: 1_000, max: 10_000 }, OperationsError);
      const from = pageStart(options?.afterSeq);
      return database.read(() => readEvents(runId, from, limit), options);
    },
    requestAbort: (runId, request, call) => abort({ runId, request }, call),
    answer: (runId, step, call) => answer({ runId, step }, call),
    async listRuns(options) {
      const limit = pageLimit(options?.limit, { byDefault: 100, max: 1_000 }, OperationsError);
      return database.read(() => listRuns(options ?? {}, limit), options);
    },
    async prune({ endedBeforeMs, nowMs, limit, ...call }) {
      return prune(
        {
          endedBeforeMs,
          nowMs,
          limit: pageLimit(limit, { byDefault: 1_000, max: 10_000 }, OperationsError),
        },
        call,
      );
    },
  };
}

const leaseColumns = "lease_owner, fencing_token, expires_at";

function* loadRun(runId: string): Steps<StoredRun | undefined> {
  const asked = { columns: ["asked_run"], rows: [[keyOf(runId)]] };
  const [row] = yield* rowsOf(
    (parts) => `SELECT input, last_seq, abort_request, result, ${leaseColumns}
      FROM ${parts.asked} JOIN ccl_operation_runs ON run_key = asked_run`,
    asked,
  );
  if (row === undefined) return undefined;
  const steps = yield* rowsOf(
    (parts) =>
      `SELECT step FROM ${parts.asked} JOIN ccl_operation_steps ON run_key = asked_run ORDER BY position`,
    asked,
  );
  const abort = jsonIn<AbortRequest>(row, "abort_request");
  return {
    input: requiredJsonIn<RunInput>(row, "input"),
    steps: steps.map((step) => requiredJsonIn<RunStep>(unpacked(step, "step"), "step")),
    lastSeq: numberIn(row, "last_seq"),
    result: resultIn(row),
    abort,
    lease: leaseIn(row, runId),
  };
}

const resultIn = (row: Row): RunResult | undefined => jsonIn(unpacked(row, "result"), "result");

function leaseIn(row: Row, runId: string): RunLease {
  return {
    runId,
    owner: requiredJsonIn(row, "lease_owner"),
    fencingToken: numberIn(row, "fencing_token"),
    expiresAtMs: numberIn(row, "expires_at"),
  };
}

/** Events have no gaps, so their numbers determine the rows that contain them. */
function* readEvents(runId: string, afterSeq: number, limit: number): Steps<RunEvent[]> {
  const key = keyOf(runId);
  const rows = yield* rowsOf(
    ({
      asked,
    }) => `SELECT first_seq, events FROM ${asked} JOIN ccl_operation_events ON run_key = asked_run
        AND first_seq > asked_from AND first_seq <= asked_to AND last_seq > asked_after ORDER BY first_seq`,
    {
      columns: ["asked_run", "asked_from#", "asked_to#", "asked_after#"],
      rows: [[key, afterSeq - maxEventsInRow, afterSeq + limit, afterSeq]],
    },
  );
  // Read after the events, so that the result exists if one of them refers to it.
  const [run] = yield* rowsOf(
    ({ asked }) =>
      `SELECT input, result FROM ${asked} JOIN ccl_operation_runs ON run_key = asked_run`,
    { columns: ["asked_run"], rows: [[key]] },
  );
  if (run === undefined) throw unknownRun(key);
  const of = { input: requiredJsonIn<RunInput>(run, "input"), result: resultIn(run) };
  const events = rows.flatMap((row) => unpackEvents(row, of));
  return events.filter(({ seq }) => seq > afterSeq && seq <= afterSeq + limit);
}

function* listRuns({ cursor, all = false }: ListRunsOptions, limit: number): Steps<RunPage> {
  const after = cursor === undefined && all ? "g" : sortKeyOf(cursor ?? "");
  const rows = yield* rowsOf(
    ({ asked }) => `SELECT run_key, ${leaseColumns} FROM ${asked}
      JOIN ccl_operation_runs ON ${all ? "sort_key < asked_after" : "result IS NULL AND sort_key > asked_after"}
      ORDER BY sort_key ${all ? "DESC" : ""} LIMIT ${limit + 1}`,
    // Sort keys are hexadecimal digits.
    { columns: ["asked_after"], rows: [[after]] },
  );
  const runs = rows.slice(0, limit).map((row) => {
    const runId: string = requiredJsonIn(row, "run_key");
    return { runId, lease: leaseIn(row, runId) };
  });
  const last = runs.at(-1);
  return rows.length > limit && last !== undefined ? { runs, cursor: last.runId } : { runs };
}
