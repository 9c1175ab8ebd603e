import { describe, expect, it } from "vitest";

import { createOperationStores } from "../stores/create-operation-stores.ts";
import { createManualScheduler } from "../testing/create-manual-scheduler.ts";
import { createVirtualClock } from "../testing/create-virtual-clock.ts";
import { done, scenario } from "../../test-support/engine-scenario.ts";

const day = 24 * 60 * 60 * 1_000;

describe("pruneRuns", () => {
  it("deletes what ended 30 days ago or before a given time, and leaves chats and runs under way", async () => {
    const scheduler = createManualScheduler();
    const world = scenario({
      operations: [{ id: "a", does: scheduler.hold(async () => done()) }],
      answers: ["One.", "Two.", "Three."],
    });
    const run = async (chatId: string): Promise<string> => {
      const handle = await world.engine.start({ ...world.start, chatId });
      await scheduler.runUntil(handle.result, () => 0);
      return handle.runId;
    };
    const first = await run("one");
    await world.clock.advance(20 * day);
    const second = await run("two");
    const open = await world.engine.start({ ...world.start, chatId: "three" });
    await world.clock.advance(1);
    expect(await world.engine.pruneRuns()).toBe(0);
    expect(await world.engine.pruneRuns({ endedBeforeMs: world.clock.now() - 20 * day })).toBe(1);
    await expect(world.engine.resume(first)).rejects.toMatchObject({ code: "unknown_run" });
    expect((await (await world.engine.resume(second)).result).status).toBe("done");
    expect(await world.engine.pruneRuns({ endedBeforeMs: Infinity })).toBe(1);
    expect((await scheduler.runUntil(open.result, () => 0)).status).toBe("done");
    expect(await world.chat.turns({ chatId: "one", branchId: "main" })).toHaveLength(1);
    await expect(world.engine.pruneRuns({ signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
  });

  it("goes on until nothing is left, however many there are", async () => {
    const world = scenario();
    let calls = 0;
    world.runs.prune = async ({ limit = 0 }) => {
      calls += 1;
      return calls < 3 ? limit : 7;
    };
    expect(await world.engine.pruneRuns()).toBe(2_007);
  });

  it("happens by itself every hour where the engine looks for dead runs, unless it is turned off", async () => {
    const clock = createVirtualClock(1_000);
    const { runs, chat } = createOperationStores();
    // Looks are as rare as leases are long.
    const shared = { clock, runs, recover: true, limits: { leaseMs: day } };
    const off = scenario({ ...shared, prune: false });
    const { runId } = await off.engine.start(off.start);
    const isKept = async (): Promise<boolean> => (await runs.loadRun(runId)) !== undefined;
    await clock.advance(40 * day);
    expect(await isKept()).toBe(true);
    scenario({ ...shared, prune: { afterMs: 50 * day } });
    await clock.advance(5 * day);
    expect(await isKept()).toBe(true);
    await clock.advance(6 * day);
    expect(await isKept()).toBe(false);
    const second = await off.engine.start(off.start);
    await second.result;
    scenario(shared);
    await clock.advance(29 * day);
    expect(await runs.loadRun(second.runId)).toBeDefined();
    await clock.advance(2 * day);
    expect(await runs.loadRun(second.runId)).toBeUndefined();
    expect(await chat.turns({ chatId: "chat", branchId: "main" })).toHaveLength(2);
  });
});
