import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  openSharedPlace,
  runWorker,
  sharedKinds,
  type SharedPlace,
} from "../../test-support/worker-process.ts";
import { readState } from "../ports/chat-state.ts";
import type { RunResult } from "../events/run-event.ts";
import { kills } from "../../../../scripts/lengths/test-length.mjs";

// Each kill starts two processes, and the second waits until the lease of the first is over.
const timeoutMs = 20_000 + kills * 6_000;

/** What must be the same whichever worker came to it, and when. */
function outcomeOf({ status, operationRuns, mainLlm, commitLog, artifacts }: RunResult): unknown {
  const ended = operationRuns.map(({ operationId, hook, status: end }) => ({
    operationId,
    hook,
    end,
  }));
  return { status, ended, text: mainLlm.text, commitLog, artifacts };
}

describe.each(sharedKinds)("a run whose worker is killed, on %s", (kind) => {
  let shared: SharedPlace;
  beforeAll(async () => {
    shared = await openSharedPlace(kind, "kills");
  });
  afterAll(async () => {
    await shared.close();
  });

  async function findRun(chatId: string): Promise<string | undefined> {
    const { runs } = await shared.stores.runs.listRuns({ limit: 1_000 });
    for (const { runId } of runs) {
      if ((await shared.stores.runs.loadRun(runId))?.input.chatId === chatId) return runId;
    }
    return undefined;
  }

  it(
    "comes to the same end in another worker, and does nothing finished again",
    async () => {
      const whole = await runWorker(shared, { chatId: "whole" });
      expect(whole?.result.status).toBe("done");
      if (whole === undefined) return;
      for (let kill = 0; kill < kills; kill += 1) {
        const killAt = Math.floor(((kill + 0.5) * whole.points) / kills);
        const chatId = await killedAt(killAt, `kill-${kill}`);
        const runId = await findRun(chatId);
        const finished = runId === undefined ? [] : await finishedOf(runId);
        const before = await shared.executions(chatId);
        const resumed = await runWorker(
          shared,
          runId === undefined ? { chatId } : { chatId, runId },
        );
        if (resumed === undefined) throw new Error("The second worker was killed as well.");
        expect(outcomeOf(resumed.result)).toEqual(outcomeOf(whole.result));
        const after = await shared.executions(chatId);
        const again = finished.filter((operationId) => after[operationId] !== before[operationId]);
        expect(again).toEqual([]);
        await checkStored(chatId, resumed.result.runId);
      }
    },
    timeoutMs,
  );

  it("does finished things again where the store forgets them, so that the count tells", async () => {
    const whole = await runWorker(shared, { chatId: "whole-forgetful" });
    const { chatId, runId } = await killedNearTheEnd((whole?.points ?? 0) + 2);
    await runWorker(shared, { chatId, runId });
    expect(await shared.executions(chatId)).toMatchObject({ "app:guard": 2, main: 2 });
  });

  /** A run on a forgetful store that has not ended, though all of it had been executed when its worker was killed. */
  async function killedNearTheEnd(point: number): Promise<{ chatId: string; runId: string }> {
    for (let killAt = point; killAt >= 0; killAt -= 1) {
      const chatId = await killedAt(killAt, `forgetful-${killAt}`, true);
      const runId = await findRun(chatId);
      const { main = 0 } = await shared.executions(chatId);
      if (runId !== undefined && main > 0) return { chatId, runId };
    }
    throw new Error("No kill left a run that was executed and has not ended.");
  }

  /** Gives the chat of a run whose worker was killed at that point, or before it where it has fewer: what goes together is not always the same. */
  async function killedAt(
    point: number,
    name: string,
    isForgetful: boolean = false,
  ): Promise<string> {
    for (let killAt = point; killAt >= 0; killAt -= 1) {
      const chatId = `${name}-${killAt}`;
      if ((await runWorker(shared, { chatId, killAt, isForgetful })) === undefined) return chatId;
    }
    throw new Error("The worker was not to be killed.");
  }

  async function finishedOf(runId: string): Promise<string[]> {
    const steps = (await shared.stores.runs.loadRun(runId))?.steps ?? [];
    return steps.flatMap((step) =>
      step.kind === "operation" ? [step.operationId] : step.kind === "main_llm" ? ["main"] : [],
    );
  }

  /** One answer, one version of each tag, and every event once. */
  async function checkStored(chatId: string, runId: string): Promise<void> {
    const turns = await shared.stores.chat.turns({ chatId, branchId: "main" });
    expect(
      turns.map(({ assistantVariants }) => assistantVariants.map(({ content }) => content)),
    ).toEqual([["The answer."]]);
    const key = { chatId, branchId: "main", profileId: "story", operationProfileSessionId: "1" };
    const state = await readState(shared.stores.chat, key);
    expect(state.map(({ tag, version }) => `${tag} ${version}`)).toEqual(
      ["guard", "lookup", "notes", "plan", "world"].map((tag) => `${tag} 1`),
    );
    const events = await shared.stores.runs.readEvents(runId);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ type }) => type === "run.finished")).toHaveLength(1);
    expect(events.at(-1)?.type).toBe("run.finished");
  }
});
