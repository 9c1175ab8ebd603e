import { getEventListeners } from "node:events";
import { isDeepStrictEqual } from "node:util";

import type { LanguageModel, ModelResponse } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { foldRunEvents } from "../events/fold-run-events.ts";
import type { OperationHandler } from "../operation/operation-definition.ts";
import type { ConversationStore } from "../ports/conversation-store.ts";
import { type RunStore, runStepKey } from "../ports/run-store.ts";
import { createOperationStores } from "../stores/create-operation-stores.ts";
import { readState } from "../ports/chat-state.ts";
import { createVirtualClock, type VirtualClock } from "../testing/create-virtual-clock.ts";
import {
  done,
  scenario,
  write,
  type ScenarioOperation,
} from "../../test-support/engine-scenario.ts";
import type { RunHandle } from "./live-run.ts";

const key = {
  chatId: "chat",
  branchId: "main",
  profileId: "profile",
  operationProfileSessionId: "session",
};
const response: ModelResponse = { text: "The answer.", toolCalls: [], finishReason: "stop" };

/** Waits in virtual time, to the end of it where there is no signal to heed. */
function wait(clock: VirtualClock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      cancel();
      reject(new Error("Stopped."));
    };
    const cancel = clock.schedule(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

interface Trial {
  /** What was done up to the abort and after it: calls of stores, events, handlers, the model. */
  before: string[];
  after: string[];
  found: unknown;
}

/** A run with both hooks, that is aborted at the moment of that number, 0 for before its start; nowhere without one. */
async function runWithAbort(moment: number | undefined): Promise<Trial> {
  const clock = createVirtualClock(1_000);
  const controller = new AbortController();
  const trial: Trial = { before: [], after: [], found: undefined };
  const signals = new Set<AbortSignal>([controller.signal]);
  if (moment === 0) controller.abort();
  const happens = (what: string): void => {
    (controller.signal.aborted ? trial.after : trial.before).push(what);
    if (trial.before.length === moment) controller.abort();
  };
  const watched = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function" || name === "turns") return member;
        return async (...parameters: unknown[]): Promise<unknown> => {
          happens(`call ${String(name)}`);
          const answer: unknown = await Reflect.apply(member, target, parameters);
          happens(`answer ${String(name)}`);
          return answer;
        };
      },
    });
  const working =
    (ms: number, heeds: boolean, tag: string): OperationHandler =>
    async ({ signal, hook }) => {
      signals.add(signal);
      happens(`start ${hook}/${tag}`);
      await wait(clock, ms, heeds ? signal : undefined);
      happens(`end ${hook}/${tag}`);
      return done(write(tag, hook));
    };
  const model: LanguageModel = {
    provider: "test",
    modelId: "test",
    generate: () => Promise.reject(new Error("The model streams.")),
    async *stream({ signal }) {
      happens("start main");
      for (const text of ["The ", "answer."]) {
        await wait(clock, 60, signal);
        happens(`delta ${text}`);
        yield { type: "text", text };
      }
      yield { type: "finish", response };
    },
  };
  const both = { hooks: ["before_main_llm" as const, "after_main_llm" as const] };
  const operations: ScenarioOperation[] = [
    { id: "a", ...both, required: true, writesTag: "a", does: working(10, true, "a") },
    {
      id: "b",
      ...both,
      writesTag: "b",
      does: working(5_000, false, "b"),
    },
    {
      id: "c",
      ...both,
      required: true,
      dependsOn: ["a"],
      writesTag: "c",
      does: working(10, true, "c"),
    },
  ];
  const { runs, chat } = createOperationStores();
  const { engine, start } = scenario({
    operations,
    clock,
    mainModel: model,
    runs: { ...watched(runs), chat: watched(chat) },
  });
  const handle = await engine.start({ ...start, signal: controller.signal }).catch(() => undefined);
  handle?.onEvent(({ type, seq }) => happens(`event ${seq} ${type}`));
  for (let step = 0; step < 40; step += 1) await clock.advance(500);
  const listeners = [...signals].map((signal) => getEventListeners(signal, "abort").length);
  const idle = {
    timers: clock.pendingTimers,
    listeners: Math.max(...listeners),
    counts: engine.counts(),
  };
  if (handle === undefined) {
    trial.found = {
      idle,
      run: (await runs.listRuns()).runs,
      turns: (await chat.turns(key)).length,
    };
    return trial;
  }
  trial.found = { idle, ...(await consistency({ handle, runs, chat })) };
  return trial;
}

interface Left {
  handle: RunHandle;
  runs: RunStore;
  chat: ConversationStore;
}

/** Whether result, journal, events, session and chat say the same. */
async function consistency({ handle, runs, chat }: Left): Promise<Record<string, unknown>> {
  const result = await Promise.race([handle.result, Promise.resolve(undefined)]);
  const stored = await runs.loadRun(handle.runId);
  const events = await runs.readEvents(handle.runId);
  const artifacts = await readState(chat, key);
  const committed = (result?.commitLog ?? []).filter(
    ({ commitStatus }) => commitStatus === "committed",
  );
  const tags = new Set(
    committed.flatMap(({ effects }) => effects.flatMap(({ tag = "" }) => [tag])),
  );
  const ends = events.flatMap((event) =>
    event.type === "operation.finished" ? [`${event.hook}/${event.operationId}`] : [],
  );
  const keys = (stored?.steps ?? []).map(runStepKey);
  const [turn] = await chat.turns(key);
  return {
    status: result?.status,
    isStored: JSON.stringify(stored?.result) === JSON.stringify(result),
    isGapless: events.every(({ seq }, index) => seq === index + 1),
    last: events.at(-1)?.type,
    shown: foldRunEvents(events).status,
    ends: [ends.length, new Set(ends).size],
    isOnce: new Set(keys).size === keys.length,
    isSessionAsLogged: artifacts.map(({ tag }) => tag).join() === [...tags].sort().join(),
    isAnswerAsTold:
      (turn?.assistantVariants.length ?? 0) === (result?.mainLlm.text === undefined ? 0 : 1),
  };
}

describe("an abort at any call of a store, event, start or end of a run", () => {
  it("ends it, starts nothing more, and leaves no timer, no listener and a whole journal", async () => {
    const undisturbed = await runWithAbort(undefined);
    const idle = { timers: 0, listeners: 0, counts: { running: 0, waiting: 0 } };
    const whole = {
      isStored: true,
      isGapless: true,
      last: "run.finished",
      ends: [6, 6],
      isOnce: true,
    };
    const agreed = { ...whole, isSessionAsLogged: true, isAnswerAsTold: true, idle };
    expect(undisturbed.found).toEqual({ ...agreed, status: "done", shown: "done" });
    const made = undisturbed.before.indexOf("answer createRun");
    const tooLate = undisturbed.before.findLastIndex((what) =>
      what.startsWith("end after_main_llm"),
    );
    expect([made >= 0, tooLate > 40, undisturbed.before.length > 70]).toEqual([true, true, true]);
    const nothing = { idle, run: [], turns: 0 };
    const outcomes = new Set<string>();
    const faults: unknown[] = [];
    for (let moment = 0; moment <= undisturbed.before.length; moment += 1) {
      const { before, after, found } = await runWithAbort(moment);
      const { status = "none" } = Object(found);
      outcomes.add(status);
      const starts = after.filter((what) => what.startsWith("start "));
      // Before the run is made there may be nothing that could end.
      const isNothing = moment <= made && isDeepStrictEqual(found, nothing);
      const isWhole = isDeepStrictEqual(found, { ...agreed, status, shown: status });
      const isInTime = isNothing || status === "aborted" || moment > tooLate;
      if (starts.length > 0 || !isInTime || !(isNothing || isWhole))
        faults.push([moment, before.at(-1), starts, found]);
    }
    expect(faults).toEqual([]);
    expect([...outcomes].sort()).toEqual(["aborted", "done", "none"]);
  });
});
