import { createScriptedModel } from "@ccl/core/testing";
import { expect, test } from "vitest";

import type { RunEvent } from "../events/run-event.ts";
import { createOperationRegistry } from "../registry/create-operation-registry.ts";
import { createRunEngine } from "../run/create-run-engine.ts";
import { createMemoryRunStore } from "./create-memory-run-store.ts";
import type { RunAppend, RunStore } from "./run-store.ts";
import { unmadeTakerOf } from "./unmade-append.ts";

const made = (append: RunAppend): RunAppend => JSON.parse(JSON.stringify(append));

/** A run with a retry, an operation that is left out and one that comes after the answer, and what its store holds. */
async function runWith(
  change?: (append: RunAppend) => RunAppend,
): Promise<{ events: RunEvent[]; stored: unknown }> {
  const memory = createMemoryRunStore();
  const changed = change && {
    append: ((appends, call) =>
      memory.append(appends.map(change), call)) satisfies RunStore["append"],
  };
  const runs: RunStore = { ...memory, ...changed };
  const registry = createOperationRegistry();
  let calls = 0;
  registry.register({ operationId: "again", kind: "compute", name: "Again" }, async () => {
    calls += 1;
    return calls === 1
      ? { status: "error", error: { code: "provider_error", message: "Busy." } }
      : {
          status: "done",
          effects: [{ type: "prompt.system_update", mode: "append", content: "Be kind." }],
        };
  });
  registry.register({ operationId: "never", kind: "compute", name: "Never" }, async () => ({
    status: "done",
  }));
  registry.register({ operationId: "after", kind: "compute", name: "After" }, async () => ({
    status: "skipped",
    skippedReason: "nothing to do",
  }));
  let id = 0;
  const engine = createRunEngine({
    registry,
    runs,
    mainModel: createScriptedModel(["Yes."]),
    random: () => 0,
    clock: { now: () => 1_000 },
    ids: { next: () => `id-${(id += 1)}` },
  });
  const settings = { enabled: true, required: false, order: 1 };
  const before = { ...settings, hooks: ["before_main_llm" as const] };
  const when = [{ ref: "art.none" }];
  const run = await engine.start({
    trigger: "generate",
    chatId: "chat",
    branchId: "main",
    userMessage: "Hello",
    profile: {
      profileId: "profile",
      name: "Profile",
      enabled: true,
      operationProfileSessionId: "1",
      operations: [
        {
          operationId: "again",
          config: { ...before, params: { retry: { maxAttempts: 2, backoffMs: 0 } } },
        },
        { operationId: "never", config: { ...before, when, params: {} } },
        { operationId: "after", config: { ...settings, hooks: ["after_main_llm"], params: {} } },
      ],
    },
  });
  // Read as late as can be, when later attempts have changed the records.
  await run.result;
  const events: RunEvent[] = [];
  for await (const event of run.events) events.push(event);
  expect(await memory.readEvents(run.runId)).toEqual(events);
  return { events, stored: await memory.loadRun(run.runId) };
}

test("holds what one holds that is made when it is appended", async () => {
  const { events, stored } = await runWith();
  const told = events.flatMap((event) => {
    if (event.type === "operation.started")
      return [`${event.seq} ${event.operationId} starts ${event.attempt}`];
    if (event.type !== "operation.finished") return [];
    return [`${event.seq} ${event.operationId} is ${event.status} after ${event.attempts ?? 0}`];
  });
  expect(told).toMatchInlineSnapshot(`
    [
      "4 again starts 1",
      "5 never is skipped after 0",
      "6 again is done after 2",
      "15 after starts 1",
      "16 after is skipped after 1",
    ]
  `);
  expect({ events, stored }).toEqual(await runWith(made));
});

test("is taken by a memory store and its copies, and by none that appends otherwise", () => {
  const memory = createMemoryRunStore();
  expect(unmadeTakerOf(memory)).toBeTypeOf("function");
  expect(unmadeTakerOf({ ...memory })).toBe(unmadeTakerOf(memory));
  expect(unmadeTakerOf({ ...memory, append: (appends) => memory.append(appends) })).toBeUndefined();
});

test("is the only append that a memory store reads later: lists of others may change", async () => {
  const runs = createMemoryRunStore();
  const branch = {
    chatId: "chat",
    branchId: "main",
    userMessageId: "m",
    trigger: "generate",
  } as const;
  const input = { ...branch, runId: "run", assistantVariantId: "v", startedAt: 1 };
  await runs.createRun({ input, lease: { owner: "worker", ttlMs: 10, nowMs: 1 } });
  const event = { ...branch, runId: "run", type: "run.started", seq: 1, epoch: 1, ts: 1 } as const;
  const events: RunEvent[] = [event];
  await runs.append([{ runId: "run", fencingToken: 1, events, steps: [] }]);
  events.pop();
  expect(await runs.readEvents("run")).toEqual([event]);
});
