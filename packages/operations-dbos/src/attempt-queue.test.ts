import type { OperationKey, OperationOutcome, RunEvent } from "@ccl/operations";
import { describe, expect, it } from "vitest";

import { executeOperation } from "./execute-operation.ts";
import { createAttemptQueue, type AttemptQueue } from "./attempt-queue.ts";

const operation: OperationKey = { hook: "before_main_llm", operationId: "a" };
const attempt = { runId: "run", attempt: 1, ...operation };
const done: OperationOutcome = { status: "done" };
const finished = (status: "done" | "aborted", of = operation): RunEvent => ({
  type: "operation.finished",
  runId: "run",
  chatId: "c",
  branchId: "main",
  userMessageId: "m",
  trigger: "generate",
  seq: 1,
  epoch: 1,
  ts: 0,
  operationName: "A",
  ...of,
  status,
  finishedAt: 0,
});

/** What DBOS does with the steps of a workflow: those that are recorded are not run again. */
function createSteps(recorded = 0): {
  names: string[];
  runStep<T>(step: () => Promise<T>): Promise<T>;
} {
  const names: string[] = [];
  let position = 0;
  return {
    names,
    async runStep(step) {
      position += 1;
      names.push(position <= recorded ? "recorded" : "run");
      // Of a recorded step only its output is given.
      return position <= recorded ? (JSON.parse("null") as never) : step();
    },
  };
}

function open(): { attemptQueue: AttemptQueue; left: string[] } {
  const left: string[] = [];
  const attemptQueue = createAttemptQueue((runId) => left.push(runId));
  return { attemptQueue, left };
}

describe("createAttemptQueue", () => {
  it("lets the operation's workflow carry out an attempt, and tells it how the operation ended", async () => {
    const { attemptQueue } = open();
    attemptQueue.open("run", [operation]).started(operation);
    const steps = createSteps();
    const workflow = executeOperation(steps, attemptQueue.take("run", operation));
    expect(await attemptQueue.run(attempt, async () => done)).toBe(done);
    expect(await attemptQueue.run({ ...attempt, attempt: 2 }, async () => done)).toBe(done);
    attemptQueue.onEvent(finished("done"));
    expect(await workflow).toBe("done");
    expect(steps.names).toEqual(["run", "run"]);
  });

  it("waits for a workflow that is about to be started, and for none that never will be", async () => {
    const { attemptQueue } = open();
    const queue = attemptQueue.open("run", [operation]);
    const calls: string[] = [];
    const carried = attemptQueue.run(attempt, async () => {
      calls.push("attempt");
      return done;
    });
    await Promise.resolve();
    expect(calls).toEqual([]);
    queue.started(operation);
    await carried;
    expect(calls).toEqual(["attempt"]);

    const again = attemptQueue.open("run", [operation]);
    const late = attemptQueue.run(attempt, async () => done);
    again.close();
    expect(await late).toBe(done);
    expect(await attemptQueue.run({ ...attempt, runId: "another" }, async () => done)).toBe(done);
  });

  it("passes over steps of attempts before a crash, and carries the attempt out where DBOS refuses the step", async () => {
    for (const steps of [
      createSteps(2),
      { runStep: () => Promise.reject(new Error("cancelled")) },
    ]) {
      const { attemptQueue } = open();
      attemptQueue.open("run", [operation]).started(operation);
      const workflow = executeOperation(steps, attemptQueue.take("run", operation));
      let calls = 0;
      const outcome = await attemptQueue.run({ ...attempt, attempt: 3 }, async () => {
        calls += 1;
        return done;
      });
      attemptQueue.onEvent(finished("done"));
      expect([outcome, calls, await workflow]).toEqual([done, 1, "done"]);
    }
  });

  it("settles as the attempt does, whatever becomes of the step's record", async () => {
    const { attemptQueue } = open();
    attemptQueue.open("run", [operation]).started(operation);
    const runStep = async <T>(step: () => Promise<T>): Promise<T> => {
      await step();
      throw new Error("The step's record was refused.");
    };
    const workflow = executeOperation({ runStep }, attemptQueue.take("run", operation));
    const error = new Error("no");
    await expect(attemptQueue.run(attempt, () => Promise.reject(error))).rejects.toBe(error);
    expect(await attemptQueue.run(attempt, async () => done)).toBe(done);
    attemptQueue.onEvent(finished("done"));
    expect(await workflow).toBe("done");
  });

  it("ends the workflow of an operation whose handler was left to itself, without waiting for it", async () => {
    const { attemptQueue } = open();
    attemptQueue.open("run", [operation]).started(operation);
    const workflow = executeOperation(createSteps(), attemptQueue.take("run", operation));
    void attemptQueue.run(attempt, () => new Promise(() => {}));
    attemptQueue.onEvent(finished("aborted"));
    expect(await workflow).toBe("aborted");
  });

  it("tells a workflow that comes late how its operation ended, and hands it no attempt", async () => {
    const { attemptQueue, left } = open();
    const other: OperationKey = { hook: "after_main_llm", operationId: "a" };
    const queue = attemptQueue.open("run", [operation, other]);
    attemptQueue.onEvent(finished("aborted"));
    expect(await executeOperation(createSteps(), attemptQueue.take("run", operation))).toBe(
      "aborted",
    );
    const waiting = executeOperation(createSteps(), attemptQueue.take("run", other));
    expect(attemptQueue.isOrphaned("run")).toBe(false);
    queue.close();
    expect([attemptQueue.isOrphaned("run"), left]).toEqual([true, ["run"]]);
    attemptQueue.end("run", () => "left");
    expect(await waiting).toBe("left");
    expect(attemptQueue.isOrphaned("run")).toBe(false);
  });

  it("hands an attempt to the newest of two executions of one workflow, and ends both", async () => {
    const { attemptQueue } = open();
    const steps = [createSteps(), createSteps()];
    const workflows = steps.map(async (at) =>
      executeOperation(at, attemptQueue.take("run", operation)),
    );
    await attemptQueue.run(attempt, async () => done);
    attemptQueue.onEvent(finished("done"));
    expect(await Promise.all(workflows)).toEqual(["done", "done"]);
    expect(steps.map(({ names }) => names)).toEqual([[], ["run"]]);
  });

  it("holds nothing up once it is closed", async () => {
    const { attemptQueue } = open();
    attemptQueue.open("run", [operation]);
    const carried = attemptQueue.run(attempt, async () => done);
    attemptQueue.take("run", operation);
    attemptQueue.close();
    expect(await carried).toBe(done);
    expect(await attemptQueue.run(attempt, async () => done)).toBe(done);
  });
});
