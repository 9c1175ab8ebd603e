import { createScriptedModel } from "@ccl/core/testing";
import { canonicalJson } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { foldRunEvents } from "../events/fold-run-events.ts";
import type { RunEvent, RunResult } from "../events/run-event.ts";
import type { OperationHandler } from "../operation/operation-definition.ts";
import { createOperationStores } from "../stores/create-operation-stores.ts";
import { readState } from "../ports/chat-state.ts";
import {
  createFaultInjector,
  type CrashPoint,
  type FaultInjector,
} from "../testing/create-fault-injector.ts";
import { createVirtualClock, settlePromises } from "../testing/create-virtual-clock.ts";
import {
  done,
  profileOf,
  registryOf,
  write,
  type ScenarioOperation,
} from "../../test-support/engine-scenario.ts";
import { createRunEngine } from "./create-run-engine.ts";
import type { RunEngine } from "./run-engine.ts";

/** Stores that outlive the engines on them. */
function createWorld() {
  const calls: string[] = [];
  const counted =
    (id: string, effects: Parameters<typeof done>): OperationHandler =>
    async ({ hook }) => {
      calls.push(`${hook}/${id}`);
      return done(...effects);
    };
  const operations: ScenarioOperation[] = [
    {
      id: "a",
      required: true,
      writesTag: "a",
      does: counted("a", [
        write("a", 1),
        { type: "turn.user_variant", content: "Hi", select: true },
      ]),
    },
    {
      id: "b",
      dependsOn: ["a"],
      writesTag: "b",
      does: counted("b", [write("b", { deep: [2] }, { persisted: false })]),
    },
    {
      id: "c",
      required: true,
      hooks: ["after_main_llm"],
      writesTag: "c",
      does: counted("c", [write("c", 3), { type: "turn.assistant_meta", meta: { mood: "good" } }]),
    },
    {
      id: "d",
      hooks: ["after_main_llm"],
      dependsOn: ["c"],
      does: { status: "error", error: { code: "timeout", message: "Slow." } },
    },
  ];
  const clock = createVirtualClock(1_000);
  const { runs, chat } = createOperationStores();
  const registry = registryOf(operations);
  const model = createScriptedModel(Array.from({ length: 9 }, () => "The answer."));
  let ids = 0;
  const engineWith = (faults: FaultInjector): RunEngine =>
    createRunEngine({
      registry,
      mainModel: model,
      clock,
      ids: { next: () => `id-${(ids += 1)}` },
      runs: faults.wrap(runs, ["createRun", "append", "acquireLease"]),
    });
  const start = {
    trigger: "generate" as const,
    chatId: "chat",
    branchId: "main",
    message: "Hello",
    profile: profileOf(operations),
  };
  return { calls, clock, runs, chat, model, engineWith, start };
}

type World = ReturnType<typeof createWorld>;

const key = {
  chatId: "chat",
  branchId: "main",
  profileId: "profile",
  operationProfileSessionId: "session",
};

/** What a run leaves behind, without times and ids. */
async function traces({ chat, runs }: World, runId: string): Promise<string> {
  const artifacts = await readState(chat, key);
  const stored = await runs.loadRun(runId);
  const untimed = (_name: string, value: unknown): unknown =>
    typeof value === "number" && value >= 1_000 ? "time" : value;
  const text = JSON.stringify(
    { artifacts, turns: await chat.turns(key), result: withoutTimes(stored?.result) },
    untimed,
  );
  return canonicalJson(JSON.parse(text.replaceAll(/"id-\d+/g, '"id')));
}

function withoutTimes(result: RunResult | undefined): unknown {
  if (result === undefined) return undefined;
  const operationRuns = result.operationRuns.map(
    ({ durationMs: _duration, attempts: _attempts, ...run }) => run,
  );
  return { ...result, durationMs: 0, operationRuns };
}

async function allEvents({ runs }: World, runId: string): Promise<RunEvent[]> {
  return runs.readEvents(runId);
}

async function runWithCrash(
  crash: CrashPoint | undefined,
): Promise<{ world: World; runId: string; faults: FaultInjector; result?: RunResult }> {
  const world = createWorld();
  const faults = createFaultInjector(crash);
  const first = world.engineWith(faults);
  const handle = await first.start(world.start).catch(() => undefined);
  if (handle !== undefined) {
    // A process that has died leaves its handle as it was; here it learns of its death and ends.
    await handle.result;
  }
  const runId = (await world.runs.listRuns()).runs[0]?.runId ?? handle?.runId ?? "";
  await world.clock.advance(60_000);
  if (runId === "" || faults.hasCrashed === false) return { world, runId, faults };
  const second = world.engineWith(createFaultInjector());
  const result = await (await second.resume(runId)).result;
  return { world, runId, faults, result };
}

describe("a run whose process dies", () => {
  it("ends the same whatever the write at which that happens, and repeats nothing that was done", async () => {
    const undisturbed = await runWithCrash(undefined);
    const expected = await traces(undisturbed.world, undisturbed.runId);
    const { writes } = undisturbed.faults;
    expect(writes.length).toBeGreaterThan(4);
    expect(expected).toContain('"status":"done"');
    const points = (["before", "after"] as const).flatMap((when) =>
      writes.map((_, at) => ({ write: at + 1, when })),
    );
    const outcomes = new Map<string, unknown>();
    for (const crash of points) {
      const { world, runId, result } = await runWithCrash(crash);
      const name = `${crash.when} write ${crash.write}, ${writes[crash.write - 1]}`;
      const events = runId === "" ? [] : await allEvents(world, runId);
      const view = foldRunEvents(events);
      outcomes.set(name, {
        status: result?.status,
        isSame: runId === "" ? undefined : (await traces(world, runId)) === expected,
        isGapless: events.every(({ seq }, index) => seq === index + 1),
        ends: events.filter(({ type }) => type === "operation.finished" || type === "run.finished")
          .length,
        shown: [view.status, view.text, view.hasGap],
      });
    }
    const ended = {
      status: "done",
      isSame: true,
      isGapless: true,
      ends: 5,
      shown: ["done", "The answer.", false],
    };
    const nothing = {
      status: undefined,
      isSame: undefined,
      isGapless: true,
      ends: 0,
      shown: ["running", "", false],
    };
    // Before the run is made there is nothing to go on with.
    const [first = "", ...others] = outcomes.keys();
    expect(Object.fromEntries(outcomes)).toEqual({
      [first]: nothing,
      ...Object.fromEntries(others.map((name) => [name, ended])),
    });
    expect(outcomes.size).toBe(2 * writes.length);
  });

  it("is noticed by this test when its steps are lost", async () => {
    const { world, runId } = await runWithCrash(undefined);
    const crashed = createWorld();
    const { append } = crashed.runs;
    // A store that forgets what was done: the negative control of the test above.
    crashed.runs.append = (one) => append({ ...one, steps: [] });
    const faults = createFaultInjector({ write: 4, when: "after" });
    const handle = await crashed.engineWith(faults).start(crashed.start);
    await handle.result;
    await crashed.clock.advance(60_000);
    await (
      await crashed.engineWith(createFaultInjector()).resume(handle.runId)
    ).result;
    expect(crashed.calls.length).toBeGreaterThan(world.calls.length);
    expect(runId).not.toBe("");
  });

  it("runs no finished operation and makes no finished call again", async () => {
    const world = createWorld();
    const faults = createFaultInjector();
    const first = world.engineWith(faults);
    let isDead = false;
    const { append } = world.runs;
    world.runs.append = async (...parameters) => {
      if (isDead) throw new Error("dead");
      isDead = parameters[0].answer !== undefined;
      return append(...parameters);
    };
    const handle = await first.start(world.start);
    expect((await handle.result).status).toBe("failed");
    isDead = false;
    world.runs.append = append;
    await world.clock.advance(60_000);
    const result = await (
      await world.engineWith(createFaultInjector()).resume(handle.runId)
    ).result;
    expect(result.status).toBe("done");
    const before = world.calls.filter((call) => call.startsWith("before_main_llm"));
    expect(before).toEqual(["before_main_llm/a", "before_main_llm/b"]);
    const events = await allEvents(world, handle.runId);
    expect(events.filter(({ type }) => type === "main_llm.started")).toMatchObject([
      { attempt: 1, epoch: 1 },
    ]);
    expect(world.model.requests).toHaveLength(1);
  });

  it("asks the model once where nothing was committed before the call", async () => {
    const whole = createFaultInjector();
    const runOnly = async (world: World, faults: FaultInjector): Promise<string> => {
      const { profile } = world.start;
      const operations = profile.operations.filter(({ operationId }) => operationId.endsWith("c"));
      const start = { ...world.start, profile: { ...profile, operations } };
      const handle = await world.engineWith(faults).start(start);
      await handle.result;
      return handle.runId;
    };
    await runOnly(createWorld(), whole);
    const write = whole.writes.length - 1;
    const world = createWorld();
    const runId = await runOnly(world, createFaultInjector({ write, when: "after" }));
    await world.clock.advance(60_000);
    const { result } = await world.engineWith(createFaultInjector()).resume(runId);
    expect((await result).status).toBe("done");
    expect([world.model.requests.length, world.calls]).toEqual([1, ["after_main_llm/c"]]);
  });

  it("is carried on by one of two that resume it at the same time, and the other sees the same end", async () => {
    const world = createWorld();
    const first = await world
      .engineWith(createFaultInjector({ write: 4, when: "after" }))
      .start(world.start);
    await first.result;
    world.calls.length = 0;
    await world.clock.advance(60_000);
    const engines = [
      world.engineWith(createFaultInjector()),
      world.engineWith(createFaultInjector()),
    ];
    const handles = await Promise.all(engines.map((engine) => engine.resume(first.runId)));
    const results = Promise.all(handles.map(({ result }) => result));
    for (let step = 0; step < 5; step += 1) await world.clock.advance(500);
    const [one, other] = await results;
    expect(canonicalJson(one)).toBe(canonicalJson(other));
    expect(one?.status).toBe("done");
    expect(world.model.requests).toHaveLength(1);
    for (const handle of handles) {
      const seen: number[] = [];
      for await (const { seq } of handle.events) seen.push(seq);
      expect(seen).toEqual(seen.map((_, index) => index + 1));
    }
    expect(world.clock.pendingTimers).toBe(0);
  });

  it("can't write any more once another has taken its run over", async () => {
    const world = createWorld();
    let resume: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const slow = world.engineWith(createFaultInjector());
    const { append } = world.runs;
    let isHeld = true;
    world.runs.append = async (...parameters) => {
      if (isHeld && parameters[0].answer !== undefined) {
        isHeld = false;
        await gate;
      }
      return append(...parameters);
    };
    const { renewLease } = world.runs;
    world.runs.renewLease = () => Promise.reject(new Error("The network is down."));
    const handle = await slow.start(world.start);
    await settlePromises();
    await world.clock.advance(31_000);
    world.runs.renewLease = renewLease;
    const taken = await (await world.engineWith(createFaultInjector()).resume(handle.runId)).result;
    expect(taken.status).toBe("done");
    const before = await traces(world, handle.runId);
    const heard: number[] = [];
    handle.onEvent(({ seq }) => heard.push(seq));
    resume();
    await world.clock.advance(1_000);
    expect((await handle.result).status).toBe("done");
    expect(heard).toEqual(heard.map((_, index) => (heard[0] ?? 0) + index));
    expect(heard.length).toBeGreaterThan(3);
    expect(await traces(world, handle.runId)).toBe(before);
    expect(world.calls.filter((call) => call === "after_main_llm/c")).toHaveLength(1);
  });
});
