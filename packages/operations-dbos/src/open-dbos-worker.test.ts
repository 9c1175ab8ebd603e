import { createFixedClock, createScriptedModel } from "@ccl/core/testing";
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
  ): Promise<{ worker: DbosWorker; engine: RunEngine }> => {
    const worker = await openDbosWorker({
      dbos: DBOS,
      pool: database.pool,
      runs,
      takeOverEveryMs: 0,
      ...rest,
    });
    const registry = createOperationRegistry();
    const engine = createRunEngine({
      registry,
      mainModel: createScriptedModel(["Hello.", "Again."]),
      runs,
      executor: worker.executor,
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
      expect(steps.rows).toEqual([{ function_name: "plan" }, { function_name: "drive" }]);
    }
  });

  it("carries a run that was stored by a process that died before it could hand it over", async () => {
    const runs = createOperationStores().runs;
    const { worker, engine } = await openWorker(runs);
    const { message: userMessage, ...ids } = turn;
    const input = {
      ...ids,
      runId: "forgotten",
      userMessageId: "m1",
      userMessage,
      assistantVariantId: "v1",
      startedAt: 0,
      formatVersion: 1 as const,
    };
    await runs.createRun({ input, lease: { owner: "dead", ttlMs: 1, nowMs: 0 } });
    expect(await worker.takeOver()).toBe(1);
    const run = await engine.resume("forgotten");
    expect((await run.result).status).toBe("done");
    expect(await worker.takeOver()).toBe(0);
    await worker.close();
  });

  it("leaves a run alone that workers keep dying of, and says so", async () => {
    const runs = createOperationStores().runs;
    const faults: unknown[] = [];
    const { message: userMessage, ...ids } = turn;
    const input = {
      ...ids,
      runId: "poison",
      userMessageId: "m1",
      userMessage,
      assistantVariantId: "v1",
      startedAt: 0,
      formatVersion: 1 as const,
    };
    await runs.createRun({ input, lease: { owner: "dead", ttlMs: 1, nowMs: 0 } });
    const lease = await runs.acquireLease("poison", { owner: "dead", ttlMs: 1, nowMs: 2 });
    const stamp = {
      runId: "poison",
      chatId: "c",
      branchId: "main",
      userMessageId: "m1",
      trigger: "generate",
      ts: 0,
    } as const;
    const events = [{ ...stamp, seq: 1, epoch: 3, type: "run.started" } as const];
    const fencingToken = lease?.fencingToken ?? 0;
    await runs.append({ runId: "poison", fencingToken, events, steps: [] });

    const { worker, engine } = await openWorker(runs, {
      maxTakeovers: 2,
      onError: (error) => faults.push(error.code),
    });
    const insert = `INSERT INTO dbos.workflow_status (workflow_uuid, status, name, class_name, executor_id, application_version, application_name, created_at, updated_at)
      VALUES ('poison', 'PENDING', 'ccl.operations.run', '', 'dead', '1', 'ccl-operations', 0, 0)`;
    await database.pool.query(insert);
    expect(await worker.takeOver()).toBe(0);
    expect(await worker.takeOver()).toBe(0);
    expect(faults).toEqual(["takeovers_exceeded"]);
    // Whoever knows better may still carry it on.
    expect((await (await engine.resume("poison")).result).status).toBe("done");
    await database.pool.query("DELETE FROM dbos.workflow_status WHERE workflow_uuid = 'poison'");
    await worker.close();
  });

  it("leaves what is still under way when it closes to other workers", async () => {
    const runs = createOperationStores().runs;
    const first = await openDbosWorker({
      dbos: DBOS,
      pool: database.pool,
      runs,
      takeOverEveryMs: 0,
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
    const { worker } = await openWorker(runs);
    expect(await worker.takeOver()).toBe(1);
    answer();
    await worker.close();
  });

  it("refuses a second worker of the process, a name that lives elsewhere and options of the wrong form", async () => {
    const runs = createOperationStores().runs;
    const open = async (rest: Partial<Parameters<typeof openDbosWorker>[0]>): Promise<unknown> =>
      codeOf(openWorker(runs, rest));
    expect(await open({ workerName: "no name" })).toBe("invalid_options");
    expect(await open({ takeOverEveryMs: Number.NaN })).toBe("invalid_options");
    expect(await open({ maxTakeovers: -1 })).toBe("invalid_options");
    expect(await open({ maxAttempts: 0 })).toBe("invalid_options");
    expect(await open({ signal: AbortSignal.abort(new Error("enough")) })).toEqual(
      new Error("enough"),
    );

    const other = await database.pool.connect();
    await other.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [
      "dbos/ccl-operations/twin",
    ]);
    expect(await open({ workerName: "twin" })).toBe("name_taken");
    other.release(true);

    const { worker } = await openWorker(runs, { clock: createFixedClock(0) });
    expect(await open({})).toBe("already_launched");
    expect(codeOfThrown(() => worker.executor.attach(async () => undefined, noEngine))).toBe(
      "name_taken",
    );
    expect(codeOfThrown(() => createDbosExecutor({ dbos: DBOS, runs }))).toBe("name_taken");
    expect(codeOfThrown(() => createDbosExecutor({ dbos: DBOS, runs, name: "another" }))).toBe(
      "already_launched",
    );
    await worker.close();
    await worker.close();
    expect(await codeOf(worker.takeOver())).toBe("closed");
  });

  it("says what failed where the server is out of reach", async () => {
    const pool = { connect: () => Promise.reject(new Error("connect ECONNREFUSED")) };
    expect(
      await codeOf(openDbosWorker({ dbos: DBOS, pool, runs: createOperationStores().runs })),
    ).toBe("database_failed");
  });
});

const noEngine = { operationsOf: async () => [], abort() {} };

function codeOfThrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return OperationsDbosError.isInstance(error) ? error.code : error;
  }
  return "no error";
}
