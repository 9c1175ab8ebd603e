import { createScriptedModel } from "@ccl/core/testing";
import {
  createOperationRegistry,
  createRunEngine,
  type RunResult,
  type RunStore,
} from "@ccl/operations";
import { openPostgresOperationStores } from "@ccl/operations/postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  hasPostgres,
  openTestDatabase,
  type TestDatabase,
} from "../test-support/open-test-database.ts";
import { createSharedStores, type SharedStores } from "../test-support/shared-stores.ts";
import {
  killWorkers,
  requireBuilt,
  startWorker,
  type WorkerProcess,
} from "../test-support/worker-process.ts";
import { kills } from "../../../scripts/lengths/test-length.mjs";

if (!hasPostgres)
  console.warn("PostgreSQL is not installed: workers that are killed are not tried.");

describe.skipIf(!hasPostgres)("a worker that is killed in the middle of a run", () => {
  let database: TestDatabase;
  let workers = 0;

  beforeAll(async () => {
    requireBuilt();
    database = await openTestDatabase();
    await database.pool.query(
      "CREATE TABLE executions (run_id text, hook text, operation_id text, attempt int, worker text)",
    );
  });
  afterAll(async () => {
    killWorkers();
    await database.close();
  });

  const open = async (stores?: SharedStores): Promise<WorkerProcess> => {
    workers += 1;
    return startWorker({ name: `worker-${workers}`, url: database.url, stores });
  };

  /** Executions by hook and operation. */
  const executionsOf = async (runId: string): Promise<Map<string, number>> => {
    const query =
      "SELECT hook || '/' || operation_id AS name, count(*)::int AS times FROM executions WHERE run_id = $1 GROUP BY 1";
    const { rows } = await database.pool.query<{ name: string; times: number }>(query, [runId]);
    return new Map(rows.map(({ name, times }) => [name, times]));
  };

  /** What DBOS holds of a run in the end, without what differs from run to run. */
  const workflowsOf = async (runId: string): Promise<unknown> => {
    for (;;) {
      const { rows } = await database.pool.query<{ status: string }>(
        `SELECT w.status, array_agg(s.function_name::text) AS steps FROM dbos.workflow_status w
         LEFT JOIN dbos.operation_outputs s USING (workflow_uuid) WHERE w.workflow_uuid = $1 GROUP BY 1`,
        [runId],
      );
      const [row] = rows;
      if (row?.status !== "PENDING" && row?.status !== "ENQUEUED") return row;
      await new Promise<void>((resolve) => {
        setTimeout(resolve, 50);
      });
    }
  };

  /** Kills a worker at that call of a store and lets the other end the run; gives what was executed again though it had ended. */
  const killOnce = async (
    stores: SharedStores,
    { victim, call, chatId }: { victim: WorkerProcess; call: number; chatId: string },
  ): Promise<{
    runId: string;
    result: RunResult;
    again: string[];
    finished: number;
    epoch: number;
  }> => {
    const runId = await victim.start(chatId);
    await victim.killAt(call, call % 2 === 0 ? "before" : "after");
    const finished = await finishedOf(stores.runs, runId);
    const before = await executionsOf(runId);
    const result = await stores.ended(runId);
    const after = await executionsOf(runId);
    const again = finished.filter((name) => after.get(name) !== before.get(name));
    const [last] = (await stores.runs.readEvents(runId)).slice(-1);
    return { runId, result, again, finished: finished.length, epoch: last?.epoch ?? 0 };
  };

  it(`leaves the run to another worker, which comes to the same result and repeats nothing that had ended (${kills} kills)`, async () => {
    const stores = createSharedStores();
    let [victim, survivor] = [await open(stores), await open(stores)];
    const undisturbedId = await victim.start("undisturbed");
    const { calls: before } = stores;
    const undisturbed = await stores.ended(undisturbedId);
    expect(undisturbed.status).toBe("done");
    const callsOfRun = stores.calls - before;
    const workflows = await workflowsOf(undisturbedId);
    expect(workflows).toEqual(endedWorkflow);

    const outcomes: { finished: number; epoch: number }[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      // The calls of a whole run, from its beginning to its end.
      const call = 2 + Math.floor((kill * (callsOfRun - 2)) / kills);
      const { runId, result, again, finished, epoch } = await killOnce(stores, {
        victim,
        call,
        chatId: `kill-${kill}`,
      });
      expect(comparable(result), `killed at call ${call}`).toEqual(comparable(undisturbed));
      expect(again, `killed at call ${call}`).toEqual([]);
      expect(await workflowsOf(runId), `killed at call ${call}`).toEqual(workflows);
      outcomes.push({ finished, epoch });
      victim = survivor;
      survivor = await open(stores);
    }
    // The kills did hit runs under way, some of them with operations that had ended.
    expect(outcomes.filter(({ epoch }) => epoch > 1).length).toBeGreaterThan(kills / 2);
    expect(outcomes.some(({ finished }) => finished > 0)).toBe(true);
    await Promise.all([victim.close(), survivor.close()]);
  }, 600_000);

  it(`does so with the stores in PostgreSQL as well (${kills} kills)`, async () => {
    const { runs, close } = await openPostgresOperationStores({ client: database.pool });
    const ended = async (runId: string): Promise<RunResult> => {
      const reader = createRunEngine({
        registry: createOperationRegistry(),
        mainModel: createScriptedModel([]),
        recover: false,
        runs,
      });
      for await (const event of reader.events(runId)) if (event.type === "run.finished") break;
      const stored = await runs.loadRun(runId);
      if (stored?.result === undefined) throw new Error(`Run ${runId} has no result.`);
      return stored.result;
    };
    let [victim, survivor] = [await open(), await open()];
    const undisturbed = await ended(await victim.start("undisturbed"));
    for (let kill = 0; kill < kills; kill += 1) {
      const runId = await victim.start(`kill-${kill}`);
      // From the first end of an operation to the last one of a run.
      await victim.killAtEvent(3 + Math.floor((kill * 24) / kills));
      const finished = await finishedOf(runs, runId);
      const before = await executionsOf(runId);
      const result = await ended(runId);
      const after = await executionsOf(runId);
      expect(comparable(result)).toEqual(comparable(undisturbed));
      expect(finished.filter((name) => after.get(name) !== before.get(name))).toEqual([]);
      expect(await workflowsOf(runId)).toEqual(endedWorkflow);
      victim = survivor;
      survivor = await open();
    }
    await Promise.all([victim.close(), survivor.close()]);
    await close();
  }, 600_000);

  it("is noticed to repeat operations where the store has forgotten what had ended", async () => {
    const stores = createSharedStores({ forgetsSteps: true });
    const [victim, survivor] = [await open(stores), await open(stores)];
    const before = stores.calls;
    await stores.ended(await victim.start("undisturbed"));
    const call = Math.floor((stores.calls - before) / 2);
    const { again, finished } = await killOnce(stores, { victim, call, chatId: "forgotten" });
    expect(finished).toBeGreaterThan(0);
    expect(again.length).toBeGreaterThan(0);
    await survivor.close();
  }, 120_000);
});

const endedWorkflow = { status: "SUCCESS", steps: ["drive"] };

/** Operations whose ends are stored. */
async function finishedOf(runs: RunStore, runId: string): Promise<string[]> {
  const stored = await runs.loadRun(runId);
  return (stored?.steps ?? []).flatMap((step) =>
    step.kind === "operation" && step.willRetry !== true
      ? [`${step.hook}/${step.operationId}`]
      : [],
  );
}

/** What has to be the same however often a run was interrupted: all but times, ids and attempts. */
function comparable(result: RunResult): unknown {
  const { status, failedType, operationRuns, mainLlm, commitLog, artifacts } = result;
  const runs = operationRuns.map((run) => ({
    name: `${run.hook}/${run.operationId}`,
    status: run.status,
    required: run.required,
  }));
  return { status, failedType, runs, text: mainLlm.text, commitLog, artifacts };
}
