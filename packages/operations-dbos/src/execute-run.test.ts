import { createOperationStores } from "@ccl/operations";
import { expect, it } from "vitest";

import { createAttemptQueue } from "./attempt-queue.ts";
import { executeRun } from "./execute-run.ts";
import type { OperationsDbosError } from "./operations-dbos-error.ts";

/** The workflow of a run whose worker gives it up and whose operations can't be started. */
async function executeInVain(): Promise<{ heard: OperationsDbosError[]; end: unknown }> {
  const runs = createOperationStores().runs;
  const lease = { owner: "worker", ttlMs: 60_000, nowMs: 0 };
  const input = {
    runId: "run",
    chatId: "chat",
    branchId: "main",
    trigger: "regenerate" as const,
    userMessageId: "message",
    assistantVariantId: "variant",
    startedAt: 0,
    formatVersion: 1 as const,
  };
  await runs.createRun({ input, lease });
  const heard: OperationsDbosError[] = [];
  const operations = ["first", "second"].map((operationId) => ({
    hook: "before_main_llm" as const,
    operationId,
  }));
  const end = await executeRun("run", {
    dbos: {
      runStep: async (step) => step(),
      startWorkflow: () => async () => {
        throw new Error("no such queue");
      },
      stepStatus: undefined,
    },
    runs,
    attemptQueue: createAttemptQueue(() => undefined),
    attached: Promise.resolve({
      drive: async () => undefined,
      engine: { operationsOf: async () => operations, abort: () => undefined },
    }),
    operation: async () => "",
    retry: {},
    onError: (error) => heard.push(error),
  }).catch((error: unknown) => error);
  return { heard, end };
}

it("fails with not_ended where the worker gave the run up, so that DBOS tries it again", async () => {
  const { end } = await executeInVain();
  expect(end).toMatchObject({ code: "not_ended", details: { runId: "run" } });
});

it("reports once with not_started that the workflows of operations can't be started", async () => {
  const { heard } = await executeInVain();
  expect(heard).toMatchObject([
    {
      code: "not_started",
      details: { runId: "run", operationId: "first" },
      cause: { message: "no such queue" },
    },
  ]);
});
