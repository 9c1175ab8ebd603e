import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  openSharedPlace,
  sharedKinds,
  type SharedPlace,
  type StandingWorker,
  startStandingWorker,
} from "../../test-support/worker-process.ts";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

const kills = byLength({ test: 0, faults: 100, nightly: 1_000 });
const leaseMs = 1_000;
const workerCount = 3;
// What a run comes to on its way, so that kills fall on all of it.
const points = 60;

describe.runIf(kills > 0).each(sharedKinds)("three processes on %s", (kind) => {
  let shared: SharedPlace;
  const workers: StandingWorker[] = [];
  beforeAll(async () => {
    shared = await openSharedPlace(kind, "take_over");
  });
  afterAll(async () => {
    for (const worker of workers) worker.kill();
    await Promise.all(workers.map(({ gone }) => gone));
    await shared.close();
  });

  async function openRuns(): Promise<string[]> {
    return (await shared.stores.runs.listRuns({ limit: 1_000 })).runs.map(({ runId }) => runId);
  }

  /** Kills the worker of a chat, and gives what it left open; a worker is killed before it has begun, or once it has ended, too. */
  async function killIn(chatId: string, worker: StandingWorker, killAt: number): Promise<string[]> {
    worker.answerAndDie(chatId, killAt);
    await worker.gone;
    return openRuns();
  }

  /** How long an open run has to wait until its lease is another's. */
  async function takeOverMs(runId: string, killedAtMs: number): Promise<number> {
    const first = (await shared.stores.runs.loadRun(runId))?.lease?.fencingToken;
    for (;;) {
      const run = await shared.stores.runs.loadRun(runId);
      if (run?.result !== undefined || run?.lease?.fencingToken !== first)
        return performance.now() - killedAtMs;
      await pause(10);
    }
  }

  it(
    "answer every chat whose worker is killed, without a call by anyone",
    async () => {
      for (let index = 0; index < workerCount; index += 1)
        workers.push(await startStandingWorker(shared, { leaseMs }));
      const waits: number[] = [];
      for (let kill = 0; kill < kills; kill += 1) {
        const at = kill % workerCount;
        const worker = workers[at];
        if (worker === undefined) throw new Error("A worker is missing.");
        const open = await killIn(`chat-${kill}`, worker, (kill * 7) % points);
        const killedAtMs = performance.now();
        const [another] = await Promise.all([
          startStandingWorker(shared, { leaseMs }),
          ...open.map(async (runId) => waits.push(await takeOverMs(runId, killedAtMs))),
        ]);
        workers[at] = another;
      }
      while ((await openRuns()).length > 0) await pause(50);
      const chats = (await shared.stores.chat.branches({ limit: 1_000 })).branches;
      expect(chats.length).toBeGreaterThan(kills / 2);
      for (const branch of chats) {
        const [turn] = await shared.stores.chat.turns(branch);
        expect(turn?.assistantVariants.map(({ content }) => content)).toEqual(["The answer."]);
      }
      waits.sort((left, right) => left - right);
      const median = waits[Math.floor(waits.length / 2)] ?? 0;
      console.info(
        `${kind}: ${kills} kills, ${waits.length} runs taken over, median ${Math.round(median)} ms, longest ${Math.round(waits.at(-1) ?? 0)} ms`,
      );
      expect(waits.length).toBeGreaterThan(kills / 4);
      expect(median).toBeLessThan(leaseMs + 1_000);
    },
    60_000 + kills * 10_000,
  );

  it("leave a chat locked where nothing looks for dead runs", async () => {
    for (const worker of workers.splice(0)) {
      worker.kill();
      await worker.gone;
    }
    const settings = { leaseMs, recover: false };
    workers.push(await startStandingWorker(shared, settings));
    const dying = await startStandingWorker(shared, settings);
    expect(await killIn("locked", dying, 25)).toHaveLength(1);
    await pause(3 * leaseMs);
    expect(await openRuns()).toHaveLength(1);
  });
});
