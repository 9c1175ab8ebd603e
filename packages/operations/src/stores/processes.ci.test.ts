import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  openSharedPlace,
  runWorker,
  sharedKinds,
  storyProfile,
  type SharedPlace,
} from "../../test-support/worker-process.ts";

// Both workers live: on a busy machine a short lease would run out while its worker waits for a core.
const leaseMs = 60_000;

describe.each(sharedKinds)("two workers of two processes on %s", (kind) => {
  let shared: SharedPlace;
  beforeAll(async () => {
    shared = await openSharedPlace(kind, "processes");
  });
  afterAll(async () => {
    await shared.close();
  });

  it("carry out a run that both of them resume once, and both hear its result", async () => {
    const input = {
      runId: "both",
      chatId: "both",
      branchId: "main",
      trigger: "generate" as const,
      userMessageId: "u",
      userMessage: "Hello",
      assistantVariantId: "v",
      startedAt: 1,
    };
    const made = await shared.stores.runs.createRun({
      input: { ...input, formatVersion: 1, profile: storyProfile },
      lease: { owner: "test", ttlMs: 1, nowMs: 1 },
    });
    expect(made.status).toBe("created");
    const work = { chatId: "both", runId: "both", leaseMs };
    const [left, right] = await Promise.all([runWorker(shared, work), runWorker(shared, work)]);
    expect(left?.result.status).toBe("done");
    expect(right?.result).toEqual(left?.result);
    const once = {
      "app:guard": 1,
      "app:lookup": 1,
      "app:notes": 1,
      "app:plan": 1,
      "app:world": 1,
      main: 1,
    };
    expect(await shared.executions("both")).toEqual(once);
  });

  it("make one run of the same request", async () => {
    const work = { chatId: "request", leaseMs };
    const [left, right] = await Promise.all([runWorker(shared, work), runWorker(shared, work)]);
    expect(right?.result).toEqual(left?.result);
    expect(await shared.executions("request")).toMatchObject({ "app:guard": 1, main: 1 });
  });
});
