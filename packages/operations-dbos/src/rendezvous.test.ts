import type { OperationKey, OperationOutcome, RunEvent } from "@ccl/operations";
import { describe, expect, it } from "vitest";

import { carryOperation } from "./carry-operation.ts";
import { createRendezvous, type Rendezvous } from "./rendezvous.ts";

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

function open(): { rendezvous: Rendezvous; left: string[] } {
  const left: string[] = [];
  const rendezvous = createRendezvous((runId) => left.push(runId));
  return { rendezvous, left };
}

describe("createRendezvous", () => {
  it("lets the operation's workflow carry out an attempt, and tells it how the operation ended", async () => {
    const { rendezvous } = open();
    rendezvous.open("run", [operation]).started(operation);
    const steps = createSteps();
    const workflow = carryOperation(steps, rendezvous.take("run", operation));
    expect(await rendezvous.carry(attempt, async () => done)).toBe(done);
    expect(await rendezvous.carry({ ...attempt, attempt: 2 }, async () => done)).toBe(done);
    rendezvous.hear(finished("done"));
    expect(await workflow).toBe("done");
    expect(steps.names).toEqual(["run", "run"]);
  });

  it("waits for a workflow that is about to be started, and for none that never will be", async () => {
    const { rendezvous } = open();
    const meeting = rendezvous.open("run", [operation]);
    const calls: string[] = [];
    const carried = rendezvous.carry(attempt, async () => {
      calls.push("attempt");
      return done;
    });
    await Promise.resolve();
    expect(calls).toEqual([]);
    meeting.started(operation);
    await carried;
    expect(calls).toEqual(["attempt"]);

    const again = rendezvous.open("run", [operation]);
    const late = rendezvous.carry(attempt, async () => done);
    again.close();
    expect(await late).toBe(done);
    expect(await rendezvous.carry({ ...attempt, runId: "another" }, async () => done)).toBe(done);
  });

  it("passes over steps of attempts before a crash, and carries the attempt out where DBOS refuses the step", async () => {
    for (const steps of [
      createSteps(2),
      { runStep: () => Promise.reject(new Error("cancelled")) },
    ]) {
      const { rendezvous } = open();
      rendezvous.open("run", [operation]).started(operation);
      const workflow = carryOperation(steps, rendezvous.take("run", operation));
      let calls = 0;
      const outcome = await rendezvous.carry({ ...attempt, attempt: 3 }, async () => {
        calls += 1;
        return done;
      });
      rendezvous.hear(finished("done"));
      expect([outcome, calls, await workflow]).toEqual([done, 1, "done"]);
    }
  });

  it("settles as the attempt does, whatever becomes of the step's record", async () => {
    const { rendezvous } = open();
    rendezvous.open("run", [operation]).started(operation);
    const runStep = async <T>(step: () => Promise<T>): Promise<T> => {
      await step();
      throw new Error("The step's record was refused.");
    };
    const workflow = carryOperation({ runStep }, rendezvous.take("run", operation));
    const fault = new Error("no");
    await expect(rendezvous.carry(attempt, () => Promise.reject(fault))).rejects.toBe(fault);
    expect(await rendezvous.carry(attempt, async () => done)).toBe(done);
    rendezvous.hear(finished("done"));
    expect(await workflow).toBe("done");
  });

  it("ends the workflow of an operation whose handler was left to itself, without waiting for it", async () => {
    const { rendezvous } = open();
    rendezvous.open("run", [operation]).started(operation);
    const workflow = carryOperation(createSteps(), rendezvous.take("run", operation));
    void rendezvous.carry(attempt, () => new Promise(() => {}));
    rendezvous.hear(finished("aborted"));
    expect(await workflow).toBe("aborted");
  });

  it("tells a workflow that comes late how its operation ended, and hands it no attempt", async () => {
    const { rendezvous, left } = open();
    const other: OperationKey = { hook: "after_main_llm", operationId: "a" };
    const meeting = rendezvous.open("run", [operation, other]);
    rendezvous.hear(finished("aborted"));
    expect(await carryOperation(createSteps(), rendezvous.take("run", operation))).toBe("aborted");
    const waiting = carryOperation(createSteps(), rendezvous.take("run", other));
    expect(rendezvous.isLeft("run")).toBe(false);
    meeting.close();
    expect([rendezvous.isLeft("run"), left]).toEqual([true, ["run"]]);
    rendezvous.end("run", () => "left");
    expect(await waiting).toBe("left");
    expect(rendezvous.isLeft("run")).toBe(false);
  });

  it("hands an attempt to the newest of two executions of one workflow, and ends both", async () => {
    const { rendezvous } = open();
    const steps = [createSteps(), createSteps()];
    const workflows = steps.map(async (at) =>
      carryOperation(at, rendezvous.take("run", operation)),
    );
    await rendezvous.carry(attempt, async () => done);
    rendezvous.hear(finished("done"));
    expect(await Promise.all(workflows)).toEqual(["done", "done"]);
    expect(steps.map(({ names }) => names)).toEqual([[], ["run"]]);
  });

  it("holds nothing up once it is closed", async () => {
    const { rendezvous } = open();
    rendezvous.open("run", [operation]);
    const carried = rendezvous.carry(attempt, async () => done);
    rendezvous.take("run", operation);
    rendezvous.close();
    expect(await carried).toBe(done);
    expect(await rendezvous.carry(attempt, async () => done)).toBe(done);
  });
});
