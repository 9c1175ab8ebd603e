import { createScriptedModel, createSequentialIds } from "@ccl/core/testing";
import { describe, expect, it } from "vitest";

import { defineProfile } from "../define/define-profile.ts";
import { compute, waitFor } from "../define/operations.ts";
import type { RunEvent } from "../events/run-event.ts";
import { createOperationStores } from "../stores/create-operation-stores.ts";
import { readState } from "../ports/chat-state.ts";
import { type CrashPoint, createFaultInjector } from "../testing/create-fault-injector.ts";
import { createVirtualClock } from "../testing/create-virtual-clock.ts";
import { createRunEngine } from "./create-run-engine.ts";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

const deaths = byLength({ test: 3, faults: 100, nightly: 1_000 });
const turns = 7;
const leaseMs = 30_000;
const waitMs = 300_000;
const stepMs = 5_000;
const text = "word ".repeat(100);
const feed = { artifact: { append: true } };

const profile = defineProfile({
  id: "p",
  operations: {
    digest: compute(() => "ran", { every: { turns: 3 }, ...feed }),
    size: compute(() => "ran", { every: { tokens: 600 }, ...feed }),
    pause: waitFor("", { maxWaitMs: waitMs, otherwise: "late", every: { turns: 2 } }),
    consent: waitFor("Go on?", { every: { turns: 3 } }),
  },
});

/** What came of a chat whose process died once, or never. */
interface Played {
  /** By turn: how its run ended, and what became of each operation. */
  ends: unknown[];
  state: unknown;
  /** How long each `pause` took. */
  waitedMs: number[];
  writes: number;
  hasDied: boolean;
}

async function play(crash?: CrashPoint): Promise<Played> {
  const clock = createVirtualClock(1_000);
  const faults = createFaultInjector(crash);
  const { runs, chat } = createOperationStores();
  const shared = {
    profile,
    clock,
    ids: createSequentialIds(),
    limits: { leaseMs },
  };
  const answers = Array.from({ length: 20 * turns }, () => text);
  const mainModel = createScriptedModel(answers);
  let engine = createRunEngine({
    ...shared,
    mainModel,
    recover: false,
    runs: faults.wrap(runs, ["createRun", "append", "renewLease"]),
  });
  let isReplaced = false;
  const counted = new Set<string>();
  const played: Omit<Played, "writes" | "hasDied" | "state"> = { ends: [], waitedMs: [] };
  for (let turn = 1; turn <= turns; turn += 1) {
    const begin = (): void => {
      const request = { chatId: "c", message: text, clientRequestId: String(turn) };
      void engine.start(request).then(
        ({ result }) => result,
        () => undefined,
      );
    };
    begin();
    for (;;) {
      await clock.advance(stepMs);
      if (faults.hasCrashed && !isReplaced) {
        isReplaced = true;
        // A process that starts later finds what the dead one has left.
        await clock.advance(leaseMs);
        engine = createRunEngine({ ...shared, mainModel, runs });
        begin();
      }
      const { runs: all } = await runs.listRuns({ all: true });
      const fresh = all.find(({ runId }) => !counted.has(runId));
      const run = fresh && (await runs.loadRun(fresh.runId));
      if (run === undefined) continue;
      const events = await runs.readEvents(run.input.runId);
      if (run.result === undefined && events.some(isAsked))
        await runs.answer(run.input.runId, consent);
      if (run.result === undefined) continue;
      counted.add(run.input.runId);
      const { status, operationRuns } = run.result;
      played.ends.push([status, operationRuns.map((one) => [one.status, one.skippedReason])]);
      const paused = events.filter(
        (event) => "operationId" in event && event.operationId.endsWith("pause"),
      );
      const asked = paused.find(({ type }) => type === "operation.waiting");
      if (asked !== undefined) played.waitedMs.push((paused.at(-1)?.ts ?? 0) - asked.ts);
      break;
    }
  }
  const key = { chatId: "c", branchId: "main", profileId: "p" };
  const artifacts = await readState(chat, {
    ...key,
    operationProfileSessionId: profile.operationProfileSessionId,
  });
  const state = artifacts.map(({ tag, value }) => [tag, value]);
  return { ...played, state, writes: faults.writes.length, hasDied: faults.hasCrashed };
}

const isAsked = (event: RunEvent): boolean =>
  event.type === "operation.waiting" && event.operationId.endsWith("consent");
const operationId =
  profile.operations.map((one) => one.operationId).find((id) => id.endsWith("consent")) ?? "";
const consent = { kind: "answer", hook: "before_main_llm", operationId, value: "yes" } as const;

describe("operations that run now and then, or wait", () => {
  it(
    "do so at the same turns and for as long, wherever their process dies",
    async () => {
      const whole = await play();
      expect(whole.state).toEqual([
        ["consent", "yes"],
        ["digest", ["ran", "ran"]],
        ["pause", "late"],
        ["size", ["ran", "ran"]],
      ]);
      expect(whole.waitedMs).toHaveLength(3);
      let died = 0;
      for (let death = 0; death < deaths; death += 1) {
        const write = 2 + Math.floor((death * (whole.writes - 2)) / deaths);
        const when = death % 2 === 0 ? "before" : "after";
        const played = await play({ write, when });
        expect({ when, write, ends: played.ends, state: played.state }).toEqual({
          when,
          write,
          ends: whole.ends,
          state: whole.state,
        });
        expect(played.waitedMs).toHaveLength(3);
        // Nothing waits anew for what it has waited for already.
        const longest = Math.max(...played.waitedMs);
        expect(longest).toBeLessThanOrEqual(waitMs + leaseMs + 3 * stepMs);
        died += Number(played.hasDied);
      }
      expect(died).toBe(deaths);
    },
    60_000 + deaths * 3_000,
  );
});
