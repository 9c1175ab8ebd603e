import type { ConformanceRule } from "@ccl/core/conformance";
import assert from "node:assert/strict";

import type { OperationHandler, OperationOutcome } from "../src/operation/operation-definition.ts";
import type { RunResult } from "../src/events/run-event.ts";
import { deferred } from "../src/run/live-run.ts";
import {
  openFixture,
  type ExecutorFixture,
  type RunExecutorConformanceOptions,
} from "./executor-fixture.ts";

const done: OperationOutcome = { status: "done" };
const does: OperationHandler = async () => done;

interface ExecutorRule {
  name: string;
  check(fixture: ExecutorFixture): Promise<void>;
}

const rules: readonly ExecutorRule[] = [
  {
    name: "a run ends, and each of its operations has run once",
    async check({ run, begun }) {
      const result = await run({
        a: { does },
        b: { does, dependsOn: ["a"] },
        c: { does, after: true },
      });
      assert.deepEqual([result.status, result.mainLlm.text], ["done", "Answer."]);
      assert.deepEqual(statusesOf(result), ["a done", "b done", "c done"]);
      assert.deepEqual(begun, ["a/1", "b/1", "c/1"]);
    },
  },
  {
    name: "an abort reaches what is at work, and nothing starts after it",
    async check({ start, within, begun, firstBegun }) {
      const [aborted, abort] = gate({ status: "aborted" });
      const waits: OperationHandler = async ({ signal }) => {
        signal.addEventListener("abort", abort, { once: true });
        return aborted;
      };
      const run = await start({ a: { does: waits }, b: { does, dependsOn: ["a"] } });
      await within(firstBegun);
      run.abort();
      const result = await within(run.result);
      assert.deepEqual(
        [result.status, ...statusesOf(result)],
        ["aborted", "a aborted", "b aborted"],
      );
      assert.deepEqual(begun, ["a/1"]);
    },
  },
  {
    name: "a run that takes its time does not hold up another",
    async check({ start, run, within }) {
      const [opened, open] = gate();
      const slow = await start({ a: { does: async () => opened } }, { chatId: "slow" });
      const quick = await run({ b: { does } }, { chatId: "quick" });
      open();
      assert.deepEqual([quick.status, (await within(slow.result)).status], ["done", "done"]);
    },
  },
  {
    name: "a run that is submitted again runs nothing again, under way and after its end",
    async check({ start, run, within, begun, firstBegun, executor }) {
      const [opened, open] = gate();
      const operations = { a: { does: async () => opened }, b: { does, dependsOn: ["a"] } };
      const first = await start(operations);
      await within(firstBegun);
      await within(executor.submit(first.runId, true));
      open();
      assert.equal((await within(first.result)).status, "done");
      await within(executor.submit(first.runId, true));
      // Gives submitted runs time to be executed.
      assert.equal((await run(operations)).status, "done");
      assert.deepEqual(begun, ["a/1", "b/1", "a/1", "b/1"]);
    },
  },
  {
    name: "a run whose worker has died is carried on when it is resumed, by one of those who ask",
    async check({ engine, runs, profileOf, within, begun }) {
      const ids = {
        runId: "left",
        chatId: "chat",
        branchId: "main",
        userMessageId: "m",
        assistantVariantId: "v",
      };
      const profile = profileOf({ a: { does } });
      const input = {
        ...ids,
        formatVersion: 1,
        trigger: "generate",
        userMessage: "Hello.",
        startedAt: 1,
        profile,
      } as const;
      await runs.createRun({ input, lease: { owner: "dead", ttlMs: 1, nowMs: 1 } });
      const handles = await within(Promise.all([engine.resume("left"), engine.resume("left")]));
      const results = await within(Promise.all(handles.map(({ result }) => result)));
      assert.deepEqual(
        results.map(({ status }) => status),
        ["done", "done"],
      );
      assert.deepEqual(begun, ["a/1"]);
    },
  },
];

/**
 * The contract of executors as rules that any test runner can run. It omits what the engine itself ensures: attempts,
 * deadlines, limits and the order of commits.
 */
export function runExecutorConformance(options: RunExecutorConformanceOptions): ConformanceRule[] {
  return rules.map(({ name, check }) => ({
    name,
    async run() {
      const fixture = await openFixture(options);
      try {
        await check(fixture);
      } finally {
        await fixture.close();
      }
    },
  }));
}

/** An outcome that is held back until the test releases it. */
function gate(
  outcome: OperationOutcome = done,
): [opened: Promise<OperationOutcome>, open: () => void] {
  const { promise, resolve } = deferred<OperationOutcome>();
  return [promise, () => resolve(outcome)];
}

function statusesOf({ operationRuns }: RunResult): string[] {
  return operationRuns.map(
    ({ operationId, status }) => `${operationId.replace("rules:", "")} ${status}`,
  );
}
