import { createScriptedModel } from "@ccl/core/testing";
import {
  createOperationStores,
  createOperationRegistry,
  createRunEngine,
  type Hook,
  type OperationConfig,
  type OperationHandler,
  type OperationProfile,
  type OperationRegistry,
  type RunEngine,
  type RunStore,
} from "@ccl/operations";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  hasPostgres,
  openTestDatabase,
  type TestDatabase,
} from "../test-support/open-test-database.ts";
import { readEndedRows, readWorkflowRows } from "../test-support/workflow-rows.ts";
import { openDbosWorker, type DbosWorker } from "./open-dbos-worker.ts";

if (!hasPostgres)
  console.warn("PostgreSQL is not installed: workflows of operations are not tried.");

interface Operation {
  id: string;
  handler?: OperationHandler;
  config?: Partial<OperationConfig>;
}

const done: OperationHandler = async () => ({ status: "done" });
const before: Hook[] = ["before_main_llm"];
const after: Hook[] = ["after_main_llm"];

function profileOf(
  operations: readonly Operation[],
  registry: OperationRegistry,
): OperationProfile {
  for (const { id, handler = done } of operations) {
    registry.register({ operationId: id, kind: "test", name: id }, handler);
  }
  return {
    profileId: "p",
    name: "P",
    enabled: true,
    operationProfileSessionId: "1",
    operations: operations.map(({ id, config }) => ({
      operationId: id,
      config: { enabled: true, required: false, hooks: before, order: 0, params: {}, ...config },
    })),
  };
}

describe.skipIf(!hasPostgres)("workflows of operations", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(async () => {
    await database.close();
  });

  interface Desk {
    worker: DbosWorker;
    engine: RunEngine;
    profile: OperationProfile;
    faults: string[];
  }
  const open = async (
    operations: readonly Operation[],
    {
      runs = createOperationStores().runs,
      answers = ["Hello."],
    }: { runs?: RunStore; answers?: string[] } = {},
  ): Promise<Desk> => {
    const faults: string[] = [];
    const worker = await openDbosWorker({
      dbos: DBOS,
      pool: database.pool,
      runs,
      takeOverEveryMs: 0,
      leftAfterMs: 200,
      onError: ({ code }) => faults.push(code),
    });
    const registry = createOperationRegistry();
    const profile = profileOf(operations, registry);
    const mainModel = createScriptedModel(answers);
    const engine = createRunEngine({
      registry,
      mainModel,
      runs,
      executor: worker.executor,
      limits: { graceMs: 50 },
    });
    return { worker, engine, profile, faults };
  };
  const turn = { trigger: "generate", chatId: "c", branchId: "main", message: "Hi." } as const;
  const makePending = async (pattern: string): Promise<void> => {
    await database.pool.query(
      `UPDATE dbos.workflow_status SET status = 'PENDING', executor_id = 'dead' WHERE workflow_uuid LIKE $1`,
      [pattern],
    );
  };

  it("are children of the run's, made in the order of the plan, and end as their operations do", async () => {
    let attempts = 0;
    const flaky: OperationHandler = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("once");
      return { status: "done" };
    };
    const retry = { retry: { maxAttempts: 2, backoffMs: 1, retryOn: ["internal_error"] } };
    const { worker, engine, profile } = await open([
      { id: "z:first 100% 剣'\"", config: { order: -1 } },
      { id: "c", config: { order: 1, dependsOn: ["flaky"] } },
      { id: "flaky", config: { order: 5, params: retry }, handler: flaky },
      { id: "fails", config: { order: 2 }, handler: async () => ({ status: "error" }) },
      { id: "blocked", config: { order: 3, dependsOn: ["fails"] } },
      { id: "unwanted", config: { order: 4, when: [{ ref: "art.none" }] } },
      { id: "off", config: { enabled: false } },
      { id: "both", config: { order: 6, hooks: [...before, ...after] } },
      { id: "last", config: { order: 0, hooks: after } },
    ]);
    const run = await engine.start({ ...turn, profile });
    expect((await run.result).status).toBe("done");
    await worker.close();
    const { calls, operations, run: row } = await readWorkflowRows(database.pool, run.runId);
    expect(row).toEqual({ status: "SUCCESS", output: "done" });
    expect(
      operations.map(({ id, status, output, steps }) => [id.slice(37), status, output, steps]),
    ).toEqual([
      [`before_main_llm:z:first 100% 剣'"`, "SUCCESS", "done", 1],
      ["before_main_llm:fails", "SUCCESS", "error", 1],
      ["before_main_llm:blocked", "SUCCESS", "skipped", 0],
      ["before_main_llm:unwanted", "SUCCESS", "skipped", 0],
      ["before_main_llm:flaky", "SUCCESS", "done", 2],
      ["before_main_llm:c", "SUCCESS", "done", 1],
      ["before_main_llm:both", "SUCCESS", "done", 1],
      ["after_main_llm:last", "SUCCESS", "done", 1],
      ["after_main_llm:both", "SUCCESS", "done", 1],
    ]);
    expect(operations.every(({ id }) => id.startsWith(`${run.runId}:`))).toBe(true);
    expect(calls.map(({ child }) => child)).toEqual([
      null,
      null,
      ...operations.map(({ id }) => id),
    ]);
  });

  it("are the same, in the same order, after a recovery, which runs nothing again", async () => {
    let executions = 0;
    const count: OperationHandler = async () => {
      executions += 1;
      return { status: "done" };
    };
    const operations: Operation[] = ["a", "b", "c"].map((id) => ({ id, handler: count }));
    const { worker, engine, profile } = await open(operations);
    const run = await engine.start({ ...turn, profile });
    await run.result;
    const undisturbed = await readEndedRows(database.pool, run.runId);
    // The run's alone, an operation's alone, and all of them at once.
    for (const pattern of [run.runId, `${run.runId}:%:b`, `${run.runId}%`]) {
      await makePending(pattern);
      expect(await worker.takeOver()).toBe(1);
      expect(await readEndedRows(database.pool, run.runId)).toEqual(undisturbed);
    }
    // As if it had died between the calls of the run's workflow, before two of the operations were known.
    await database.pool.query(
      "DELETE FROM dbos.operation_outputs WHERE workflow_uuid = $1 AND function_id > 2",
      [run.runId],
    );
    await database.pool.query("DELETE FROM dbos.workflow_status WHERE workflow_uuid = ANY($1)", [
      [`${run.runId}:before_main_llm:b`],
    ]);
    await makePending(run.runId);
    await worker.takeOver();
    const { operations: rows, calls } = await readEndedRows(database.pool, run.runId);
    expect(calls).toEqual(undisturbed.calls);
    expect(rows.map(({ id, output }) => [id, output]).sort()).toEqual(
      undisturbed.operations.map(({ id, output }) => [id, output]).sort(),
    );
    expect(executions).toBe(3);
    await worker.close();
  });

  it("would not go through where the calls of a recovery came in another order", async () => {
    const { worker, engine, profile } = await open([{ id: "a" }]);
    const run = await engine.start({ ...turn, profile });
    await run.result;
    await readEndedRows(database.pool, run.runId);
    await database.pool.query(
      "UPDATE dbos.operation_outputs SET function_name = 'drive' WHERE workflow_uuid = $1 AND function_id = 0",
      [run.runId],
    );
    await makePending(run.runId);
    await worker.takeOver();
    expect((await readEndedRows(database.pool, run.runId)).run.status).toBe("ERROR");
    await worker.close();
  });

  it("end where nobody carries their run, or there is none, and where it had ended already", async () => {
    const runs = createOperationStores().runs;
    const { worker, engine, profile, faults } = await open([{ id: "a" }], { runs });
    const run = await engine.start({ ...turn, profile });
    await run.result;
    await readEndedRows(database.pool, run.runId);
    const ids = { chatId: "left", branchId: "main", userMessageId: "m", assistantVariantId: "v" };
    const input = {
      formatVersion: 1,
      runId: "left",
      trigger: "generate",
      startedAt: 0,
      ...ids,
    } as const;
    await runs.createRun({ input, lease: { owner: "dead", ttlMs: 1, nowMs: 0 } });
    await database.pool.query("DELETE FROM dbos.workflow_status WHERE workflow_uuid = $1", [
      run.runId,
    ]);
    for (const parent of ["left", "unknown"]) {
      const copy = `INSERT INTO dbos.workflow_status (workflow_uuid, parent_workflow_id, status, executor_id, name, class_name,
          application_version, application_name, created_at, updated_at, serialization)
        SELECT $1 || ':before_main_llm:a', $1, 'PENDING', 'dead', name, class_name, application_version, application_name,
          created_at, updated_at, serialization FROM dbos.workflow_status WHERE workflow_uuid = $2`;
      await database.pool.query(copy, [parent, `${run.runId}:before_main_llm:a`]);
      await database.pool.query(
        `INSERT INTO dbos.workflow_input (workflow_uuid, inputs) SELECT $1 || ':before_main_llm:a', replace(inputs, $2, $1)
         FROM dbos.workflow_input WHERE workflow_uuid = $2 || ':before_main_llm:a'`,
        [parent, run.runId],
      );
    }
    // A workflow by which DBOS knows the run, so that the run itself is not begun.
    await database.pool.query(
      `INSERT INTO dbos.workflow_status (workflow_uuid, status, name, created_at, updated_at)
       VALUES ('left', 'CANCELLED', 'ccl.operations.run', 0, 0)`,
    );
    await makePending(`${run.runId}:before_main_llm:a`);
    expect(await worker.takeOver()).toBe(3);
    const outputs = await Promise.all(
      [run.runId, "left", "unknown"].map(async (id) =>
        DBOS.retrieveWorkflow(`${id}:before_main_llm:a`).getResult(),
      ),
    );
    expect(outputs).toEqual(["done", "left", "unknown_run"]);
    // Its run can still be carried on, without them.
    expect((await (await engine.resume("left")).result).status).toBe("failed");
    expect(faults).toEqual([]);
    await worker.close();
  });

  /** A handler that says when it is at work, and ends when it is told to. */
  const createHeld = (): { handler: OperationHandler; begun: Promise<void>; end(): void } => {
    let end: () => void = () => {};
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const ended = new Promise<void>((resolve) => (end = resolve));
    const handler: OperationHandler = async ({ signal }) => {
      begin();
      signal.addEventListener("abort", () => end());
      await ended;
      return { status: signal.aborted ? "aborted" : "done" };
    };
    return { handler, begun, end: () => end() };
  };

  /** Operations may be at work while the workflows of later ones are still on their way. */
  const untilStarted = async (runId: string, count: number): Promise<void> => {
    while ((await readWorkflowRows(database.pool, runId)).operations.length < count)
      await Promise.resolve();
  };

  it("end with the run that is aborted, by its handle or by a cancelled workflow", async () => {
    for (const how of ["handle", "cancel"]) {
      const held = createHeld();
      const { worker, engine, profile } = await open([
        { id: "held", handler: held.handler },
        { id: "next", config: { dependsOn: ["held"] } },
        { id: "after", config: { hooks: after } },
      ]);
      const run = await engine.start({ ...turn, profile });
      await held.begun;
      await untilStarted(run.runId, 3);
      if (how === "handle") run.abort();
      else await DBOS.cancelWorkflow(run.runId);
      const result = await run.result;
      expect([result.status, result.mainLlm.executed]).toEqual(["aborted", false]);
      const { run: row, operations } = await readEndedRows(database.pool, run.runId);
      expect(row.status).toBe(how === "handle" ? "SUCCESS" : "CANCELLED");
      expect(operations.map(({ status, output }) => [status, output])).toEqual([
        ["SUCCESS", "aborted"],
        ["SUCCESS", "aborted"],
        ["SUCCESS", "aborted"],
      ]);
      await worker.close({ waitMs: 0 });
    }
  });

  it("change nothing for the run where they are cancelled", async () => {
    const held = createHeld();
    const { worker, engine, profile, faults } = await open([
      { id: "held", handler: held.handler },
      { id: "next" },
    ]);
    const run = await engine.start({ ...turn, profile });
    await held.begun;
    await DBOS.cancelWorkflow(`${run.runId}:before_main_llm:held`);
    held.end();
    expect((await run.result).operationRuns.map(({ status }) => status)).toEqual(["done", "done"]);
    const rows = await readEndedRows(database.pool, run.runId);
    expect(rows.operations.map(({ status }) => status)).toEqual(["CANCELLED", "SUCCESS"]);
    expect(rows.run).toEqual({ status: "SUCCESS", output: "done" });
    expect(faults).toEqual([]);
    await worker.close({ waitMs: 0 });
  });

  it("are left to others where DBOS is closed in the middle, and end with the run", async () => {
    const runs = createOperationStores().runs;
    const held = createHeld();
    const operations = [
      { id: "held", handler: held.handler },
      { id: "next", config: { dependsOn: ["held"] } },
    ];
    const { worker, engine, profile } = await open(operations, { runs });
    const run = await engine.start({ ...turn, profile });
    await held.begun;
    await untilStarted(run.runId, 2);
    await worker.close({ waitMs: 0 });
    const left = await readWorkflowRows(database.pool, run.runId);
    expect([left.run, ...left.operations].map(({ status }) => status)).toEqual([
      "PENDING",
      "PENDING",
      "PENDING",
    ]);

    const { worker: other } = await open(
      operations.map(({ id }) => ({ id })),
      { runs },
    );
    expect(await other.takeOver()).toBe(1);
    held.end();
    expect((await run.result).status).toBe("done");
    const { run: row, operations: rows } = await readEndedRows(database.pool, run.runId);
    expect([row, ...rows].map(({ status, output }) => [status, output])).toEqual([
      ["SUCCESS", "done"],
      ["SUCCESS", "done"],
      ["SUCCESS", "done"],
    ]);
    await other.close();
  });
});
