import type { ConformanceRule } from "@ccl/core/conformance";
import { describe, expect, it } from "vitest";

import { createLocalExecutor } from "../ports/create-local-executor.ts";
import { createRunStore } from "../stores/create-run-store.ts";
import type { RunDriver, RunExecutor } from "../ports/run-executor.ts";
import { createRunEngine } from "./create-run-engine.ts";
import type { RunResult } from "../events/run-event.ts";
import { runExecutorConformance } from "../../test-support/run-executor-conformance.ts";

function rulesFor(create: () => RunExecutor, timeoutMs?: number): ConformanceRule[] {
  return runExecutorConformance({
    timeoutMs,
    async open(options) {
      const [executor, runs] = [create(), createRunStore()];
      const engine = createRunEngine({
        ...options,
        runs,
        executor,
        limits: { pollMs: 5, graceMs: 20 },
      });
      return { engine, executor, runs };
    },
  });
}

/** An executor that drives runs as it is told to. */
function driving(submit: (drive: RunDriver, runId: string) => Promise<unknown>): RunExecutor {
  let attached: RunDriver = async () => undefined;
  return {
    attach(drive) {
      attached = drive;
    },
    submit: async (runId) => void (await submit(attached, runId)),
  };
}

/** The driver is called later, and by nobody who was asked for it, as a queue of jobs would do it. */
const queued = (): RunExecutor =>
  driving(async (drive, runId) => void setTimeout(() => void drive(runId), 1));

describe.each([
  ["the local executor", createLocalExecutor],
  ["an executor that drives runs later", queued],
])("%s", (_name, create) => {
  it.each(rulesFor(create))("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});

const faults: [name: string, create: () => RunExecutor, rule: string][] = [
  [
    "carries nothing",
    () => driving(async () => undefined),
    "a run ends, and each of its operations has run once",
  ],
  [
    "waits for the end of a run before it takes it",
    () => driving((drive, runId) => drive(runId)),
    "an abort reaches what is at work, and nothing starts after it",
  ],
  [
    "carries one run at a time",
    () => {
      let before: Promise<RunResult | undefined> = Promise.resolve(undefined);
      return driving(async (drive, runId) => {
        before = before.then(() => drive(runId));
      });
    },
    "a run that takes its time does not hold up another",
  ],
  [
    "refuses a run that it knows",
    () => {
      const known = new Set<string>();
      return driving(async (drive, runId) => {
        if (known.has(runId)) throw new Error("It is here.");
        known.add(runId);
        void drive(runId);
      });
    },
    "a run that is submitted again runs nothing again, under way and after its end",
  ],
];

describe("an executor is found out that", () => {
  it.each(faults)("%s", async (_name, create, rule) => {
    const broken: string[] = [];
    for (const { name, run } of rulesFor(create, 200)) await run().catch(() => broken.push(name));
    expect(broken).toContain(rule);
  });
});
