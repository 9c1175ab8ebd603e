import type { ConformanceRule } from "@ccl/core/conformance";
import assert from "node:assert/strict";

import type { OperationEffect } from "../effects/operation-effect.ts";
import type { OperationHandler } from "../operation/operation-context.ts";
import type { OperationOutcome } from "../operation/operation-outcome.ts";
import type { RunResult } from "../events/run-result.ts";
import {
  openFixture,
  type ExecutorFixture,
  type RunExecutorConformanceOptions,
} from "./executor-fixture.ts";
import { oddValue } from "./store-rules.ts";

const done: OperationOutcome = { status: "done" };
const does: OperationHandler = async () => done;
const written = { persisted: false, usage: "internal", semantics: "intermediate" } as const;
const oddEffect: OperationEffect = {
  type: "artifact.upsert",
  tag: "odd",
  ...written,
  value: oddValue,
};

interface ExecutorRule {
  name: string;
  check(fixture: ExecutorFixture): Promise<void>;
}

const attemptRules: readonly ExecutorRule[] = [
  {
    name: "a run ends, and each of its operations has run once",
    async check({ run, begun }) {
      const result = await run({
        a: { does },
        b: { does, dependsOn: ["a"] },
        c: { does, hooks: ["after_main_llm"] },
      });
      assert.deepEqual([result.status, result.mainLlm.text], ["done", "Answer."]);
      assert.deepEqual(statusesOf(result), ["a done", "b done", "c done"]);
      assert.deepEqual(begun, ["a/1", "b/1", "c/1"]);
    },
  },
  {
    name: "operations that wait for nothing are at work together",
    async check({ run, begun }) {
      const [both, meet] = gate();
      const meets: OperationHandler = async () => {
        if (begun.length === 2) meet();
        return both;
      };
      assert.deepEqual(statusesOf(await run({ a: { does: meets }, b: { does: meets } })), [
        "a done",
        "b done",
      ]);
    },
  },
  {
    name: "an outcome comes back as the handler gave it",
    async check({ run }) {
      const debug = { outputsSummary: { text: "ключ" } };
      const error = { code: "rate_limited", message: "Not now." } as const;
      const { artifacts, operationRuns } = await run({
        idle: { does: async () => ({ status: "skipped", skippedReason: "nothing new" }) },
        late: { does: async () => ({ status: "error", error, debug }) },
        odd: { does: async () => ({ status: "done", effects: [oddEffect], debug }) },
      });
      assert.deepEqual(artifacts[0]?.value, oddValue);
      const [idle, late, odd] = operationRuns;
      assert.deepEqual([idle?.status, idle?.skippedReason], ["skipped", "nothing new"]);
      assert.deepEqual(
        [late?.status, late?.errorCode, late?.errorMessage],
        ["error", error.code, error.message],
      );
      assert.deepEqual(
        [late?.outputsSummary, odd?.outputsSummary],
        [debug.outputsSummary, debug.outputsSummary],
      );
    },
  },
  {
    name: "a handler that throws fails its operation alone",
    async check({ run }) {
      const throws: OperationHandler = () => Promise.reject(new Error("Lost."));
      const result = await run({
        a: { does: throws },
        b: { does: () => Promise.reject(null) },
        c: { does },
      });
      assert.deepEqual(
        [result.status, ...statusesOf(result)],
        ["done", "a error", "b error", "c done"],
      );
      assert.equal(result.operationRuns[0]?.errorMessage, "Lost.");
    },
  },
  {
    name: "an attempt that fails is made again, with the next number",
    async check({ run, begun }) {
      const failing: OperationHandler = async ({ attempt }) =>
        attempt === 1
          ? { status: "error", error: { code: "provider_error", message: "Down." } }
          : done;
      const result = await run({
        a: { does: failing, params: { retry: { maxAttempts: 2, backoffMs: 1 } } },
      });
      assert.deepEqual([statusesOf(result), begun], [["a done"], ["a/1", "a/2"]]);
    },
  },
];

const runRules: readonly ExecutorRule[] = [
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
      await within(executor.submit(first.runId));
      open();
      assert.equal((await within(first.result)).status, "done");
      await within(executor.submit(first.runId));
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
 * The contract of executors as rules that any test runner can run. It omits what the engine itself ensures: deadlines,
 * limits and the order of commits.
 */
export function runExecutorConformance(options: RunExecutorConformanceOptions): ConformanceRule[] {
  return [...attemptRules, ...runRules].map(({ name, check }) => ({
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
  let open: () => void = () => {};
  const opened = new Promise<OperationOutcome>((resolve) => {
    open = () => resolve(outcome);
  });
  return [opened, () => open()];
}

function statusesOf({ operationRuns }: RunResult): string[] {
  return operationRuns.map(({ operationId, status }) => `${operationId} ${status}`);
}
