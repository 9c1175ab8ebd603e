import { createScriptedModel } from "@ccl/core/testing";
import { DBOS } from "@dbos-inc/dbos-sdk";
import {
  createOperationStores,
  createOperationRegistry,
  createRunEngine,
  type RunEngine,
  type RunStore,
} from "@ccl/operations";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import {
  hasPostgres,
  openTestDatabase,
  type TestDatabase,
} from "../test-support/open-test-database.ts";
import { createDbosExecutor } from "./create-dbos-executor.ts";
import { openDbosWorker, type DbosWorker } from "./open-dbos-worker.ts";
import { OperationsDbosError } from "./operations-dbos-error.ts";

if (!hasPostgres) console.warn("PostgreSQL is not installed: workers are not tried.");

describe.skipIf(!hasPostgres)("openDbosWorker", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(async () => {
    await database.close();
  });

  const openWorker = async (
    runs: RunStore,
    rest: Partial<Parameters<typeof openDbosWorker>[0]> = {},
    answers: Parameters<typeof createScriptedModel>[0] = ["Hello.", "Again."],
  ): Promise<{ worker: DbosWorker; engine: RunEngine }> => {
    const worker = await openDbosWorker({
      dbos: DBOS,
      pool: database.pool,
      runs,
      ...rest,
    });
    const registry = createOperationRegistry();
    const engine = createRunEngine({
      registry,
      mainModel: createScriptedModel(answers),
      runs,
      executor: worker.executor,
      recover: false,
    });
    return { worker, engine };
  };
  const turn = { trigger: "generate", chatId: "c", branchId: "main", message: "Hi." } as const;
  const codeOf = async (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => "no error",
      (error: unknown) => (OperationsDbosError.isInstance(error) ? error.code : error),
    );

  it("says that DBOS did not start", async () => {
    const launch = vi.spyOn(DBOS, "launch").mockRejectedValueOnce(new Error("no schema"));
    const opening = openDbosWorker({
      dbos: DBOS,
      pool: database.pool,
      runs: createOperationStores().runs,
    });
    expect(await codeOf(opening)).toBe("launch_failed");
    launch.mockRestore();
  });

  it("carries a run without operations as one workflow with the run's id, and can be opened again after it is closed", async () => {
    for (const chatId of ["first", "second"]) {
      const { worker, engine } = await openWorker(createOperationStores().runs);
      const run = await engine.start({ ...turn, chatId });
      const { status, mainLlm } = await run.result;
      expect([status, mainLlm.text]).toEqual(["done", "Hello."]);
      await worker.close();
      const { rows } = await database.pool.query(
        "SELECT status, name FROM dbos.workflow_status WHERE workflow_uuid = $1",
        [run.runId],
      );
      expect(rows).toEqual([{ status: "SUCCESS", name: "ccl.operations.run" }]);
      const steps = await database.pool.query(
        "SELECT function_name FROM dbos.operation_outputs WHERE workflow_uuid = $1 ORDER BY function_id",
        [run.runId],
      );
      expect(steps.rows).toEqual([{ function_name: "drive" }]);
    }
  });

  const leftRun = async (runs: RunStore, runId: string): Promise<void> => {
    const { message: userMessage, ...ids } = turn;
    const input = {
      ...ids,
      runId,
      chatId: runId,
      userMessageId: "m1",
      userMessage,
      assistantVariantId: "v1",
      startedAt: 0,
      formatVersion: 1 as const,
    };
    await runs.createRun({ input, lease: { owner: "dead", ttlMs: 1, nowMs: 0 } });
  };
  /** Its workflow as a dead worker leaves it, which has recorded these steps. */
  const leftWorkflow = async (
    runId: string,
    { status = "PENDING", steps = [] as string[] } = {},
  ): Promise<void> => {
    await database.pool.query(
      `INSERT INTO dbos.workflow_status (workflow_uuid, status, name, class_name, executor_id, application_version, application_name, created_at, updated_at)
       VALUES ($1, $2, 'ccl.operations.run', '', 'dead', '1', 'ccl-operations', 0, 0)`,
      [runId, status],
    );
    await database.pool.query(
      `INSERT INTO dbos.workflow_input (workflow_uuid, inputs) SELECT $1, replace(inputs, workflow_uuid, $1) FROM dbos.workflow_input LIMIT 1`,
      [runId],
    );
    for (const [at, name] of steps.entries())
      await database.pool.query(
        "INSERT INTO dbos.operation_outputs (workflow_uuid, function_id, function_name, output) VALUES ($1, $2, $3, '[]')",
        [runId, at, name],
      );
  };
  const statusOf = async (runId: string): Promise<unknown> => {
    const query = "SELECT status FROM dbos.workflow_status WHERE workflow_uuid = $1";
    return (await database.pool.query(query, [runId])).rows[0]?.status;
  };

  it("resumes the run of a process that died before it could submit it", async () => {
    const runs = createOperationStores().runs;
    const { worker, engine } = await openWorker(runs);
    await leftRun(runs, "forgotten");
    expect(await engine.recover()).toEqual(["forgotten"]);
    const run = await engine.resume("forgotten");
    expect((await run.result).status).toBe("done");
    expect(await engine.recover()).toEqual([]);
    await worker.close();
    expect(await statusOf("forgotten")).toBe("SUCCESS");
  });

  it("resumes the run of a dead worker, and its workflow ends as the run does", async () => {
    const runs = createOperationStores().runs;
    const { worker, engine } = await openWorker(runs);
    await leftRun(runs, "left");
    await leftWorkflow("left");
    expect(await engine.recover()).toEqual(["left"]);
    expect((await (await engine.resume("left")).result).status).toBe("done");
    await vi.waitFor(async () => expect(await statusOf("left")).toBe("SUCCESS"), 10_000);
    await worker.close();
  });

  it("resumes a run whose workflow an earlier version began with other steps", async () => {
    const runs = createOperationStores().runs;
    const { worker, engine } = await openWorker(runs);
    await leftRun(runs, "earlier");
    await leftWorkflow("earlier", { steps: ["plan"] });
    expect(await engine.recover()).toEqual(["earlier"]);
    expect((await (await engine.resume("earlier")).result).status).toBe("done");
    await worker.close();
  });

  it("aborts the run of a dead worker whose workflow was cancelled", async () => {
    const runs = createOperationStores().runs;
    const { worker, engine } = await openWorker(runs);
    await leftRun(runs, "cancelled");
    await leftWorkflow("cancelled", { status: "CANCELLED" });
    const { result } = await engine.resume("cancelled");
    expect((await result).status).toBe("aborted");
    await worker.close();
  });

  it("aborts a run whose workflow is cancelled", async () => {
    const runs = createOperationStores().runs;
    const { worker, engine } = await openWorker(runs, {}, [
      async ({ signal }) => {
        await DBOS.cancelWorkflow((await runs.listRuns()).runs[0]?.runId ?? "");
        await new Promise((resolve) => signal?.addEventListener("abort", resolve));
        throw signal?.reason;
      },
    ]);
    const run = await engine.start({ ...turn, chatId: "cancel" });
    expect((await run.result).status).toBe("aborted");
    await worker.close({ waitMs: 0 });
  });

  it("leaves what is still under way when it closes to other workers", async () => {
    const runs = createOperationStores().runs;
    const first = await openDbosWorker({
      dbos: DBOS,
      pool: database.pool,
      runs,
    });
    let answer: () => void = () => {};
    const asked = new Promise<void>((resolve) => {
      const mainModel = {
        provider: "test",
        modelId: "slow",
        generate: async () => {
          resolve();
          await new Promise<void>((done) => (answer = done));
          return { text: "Late.", toolCalls: [], finishReason: "stop" as const };
        },
      };
      const engine = createRunEngine({
        registry: createOperationRegistry(),
        mainModel,
        runs,
        executor: first.executor,
      });
      void engine.start({ ...turn, chatId: "slow" });
    });
    await asked;
    await first.close({ waitMs: 0 });
    const { rows } = await database.pool.query(
      "SELECT status FROM dbos.workflow_status WHERE executor_id = $1",
      [first.workerName],
    );
    expect(rows).toEqual([{ status: "PENDING" }]);
    const { worker, engine } = await openWorker(runs);
    answer();
    const [left] = (await runs.listRuns()).runs;
    expect((await (await engine.resume(left?.runId ?? "")).result).status).toBe("done");
    await worker.close();
  });

  it("refuses a second worker of the process", async () => {
    const runs = createOperationStores().runs;
    const open = async (rest: Partial<Parameters<typeof openDbosWorker>[0]>): Promise<unknown> =>
      codeOf(openWorker(runs, rest));
    expect(await open({ signal: AbortSignal.abort(new Error("enough")) })).toEqual(
      new Error("enough"),
    );

    const { worker } = await openWorker(runs);
    expect(await open({})).toBe("already_launched");
    expect(
      codeOfThrown(() =>
        worker.executor.attach(
          async () => undefined,
          () => {},
        ),
      ),
    ).toBe("name_taken");
    expect(codeOfThrown(() => createDbosExecutor({ dbos: DBOS, runs }))).toBe("name_taken");
    expect(codeOfThrown(() => createDbosExecutor({ dbos: DBOS, runs, name: "another" }))).toBe(
      "already_launched",
    );
    await worker.close();
    await worker.close();
  });

  it("says what failed where the server is out of reach", async () => {
    const pool = { connect: () => Promise.reject(new Error("connect ECONNREFUSED")) };
    expect(
      await codeOf(openDbosWorker({ dbos: DBOS, pool, runs: createOperationStores().runs })),
    ).toBe("database_failed");
  });
});

function codeOfThrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return OperationsDbosError.isInstance(error) ? error.code : error;
  }
  return "no error";
}
