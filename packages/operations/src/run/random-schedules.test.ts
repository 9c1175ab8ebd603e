import assert from "node:assert/strict";

import { canonicalJson } from "@ccl/core";
import { createScriptedModel } from "@ccl/core/testing";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

import { readState } from "../ports/chat-state.ts";
import { foldRunEvents } from "../events/fold-run-events.ts";
import type { RunEvent } from "../events/run-event.ts";
import type { OperationHandler } from "../operation/operation-definition.ts";
import { createManualScheduler } from "../testing/create-manual-scheduler.ts";
import {
  done,
  scenario,
  write,
  type ScenarioOperation,
} from "../../test-support/engine-scenario.ts";

// A variant of the engine that commits in the order of ends, for the control of the property.
const variant = vi.hoisted(() => ({ commitsByEnds: false }));
vi.mock("./commit-hook.ts", async (original) => {
  const actual = await original<typeof import("./commit-hook.ts")>();
  const commitHook: typeof actual.commitHook = async (run, hook) => {
    if (!variant.commitsByEnds) return actual.commitHook(run, hook);
    const ends = endsOf(await run.services.runs.readEvents(run.input.runId));
    const endOf = (record: (typeof run.records)[number]): number =>
      ends.indexOf(record.operation.operationId);
    const records = run.records.toSorted((left, right) => endOf(left) - endOf(right));
    return actual.commitHook({ ...run, records }, hook);
  };
  return { ...actual, commitHook };
});

interface Node {
  order: number;
  required: boolean;
  isAfter: boolean;
  edges: number[];
  does: "write" | "insert" | "both" | "error" | "skip" | "condition";
}

const node = fc.record<Node>({
  order: fc.integer({ min: 0, max: 3 }),
  required: fc.boolean(),
  isAfter: fc.boolean(),
  edges: fc.array(fc.nat(11), { maxLength: 3 }),
  does: fc.constantFrom("write", "insert", "both", "error", "skip", "condition", "write", "insert"),
});

function handlerOf({ does, isAfter }: Node, id: string): OperationHandler {
  return async ({ artifacts, draftPrompt, chatHistory, main }) => {
    // The value shows everything that the operation saw, so that a peek at a sibling changes it.
    const seen = [
      Object.keys(artifacts),
      draftPrompt?.map(({ content }) => content) ?? null,
      chatHistory.at(-1)?.content ?? null,
      { text: main?.text ?? null, meta: main?.meta ?? null },
    ];
    const variant = { type: "turn.user_variant", content: `By ${id}.`, select: true } as const;
    const insert = isAfter
      ? ({ type: "turn.assistant_meta", meta: { [id]: 1 } } as const)
      : ({ type: "prompt.append_after_last_user", role: "system", content: id } as const);
    if (does === "error")
      return { status: "error", error: { code: "provider_error", message: id } };
    if (does === "skip") return { status: "skipped" };
    if (does === "insert") return done(insert, variant);
    return does === "both" ? done(write(id, seen), insert) : done(write(id, seen));
  };
}

function operationsOf(
  nodes: readonly Node[],
  hold: (handler: OperationHandler) => OperationHandler,
): ScenarioOperation[] {
  return nodes.map((made, at) => ({
    id: `op${at}`,
    order: made.order,
    required: made.required && made.does === "write",
    hooks: [made.isAfter ? "after_main_llm" : "before_main_llm"],
    dependsOn: [...new Set(made.edges)]
      .filter((edge) => edge < at && nodes[edge]?.isAfter === made.isAfter)
      .map((edge) => `op${edge}`),
    when: made.does === "condition" ? [{ ref: "art.op0.missing" }] : undefined,
    writesTag: `op${at}`,
    does: hold(handlerOf(made, `op${at}`)),
  }));
}

function endsOf(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "operation.finished" ? [event.operationId] : [],
  );
}

/** The order that commits are to have, found the plain way: again and again the least one that waits for nothing. */
function commitOrder(nodes: readonly Node[]): string[] {
  const open = operationsOf(nodes, (handler) => handler);
  const placed: string[] = [];
  for (const hook of ["before_main_llm", "after_main_llm"]) {
    const here = open.filter(({ hooks }) =>
      hooks?.includes(hook === "before_main_llm" ? hook : "after_main_llm"),
    );
    while (here.length > 0) {
      const free = here.filter(({ dependsOn = [] }) =>
        dependsOn.every((id) => placed.includes(id)),
      );
      const least = free.reduce((best, at) => (isBefore(at, best) ? at : best));
      placed.push(least.id);
      here.splice(here.indexOf(least), 1);
    }
  }
  return placed;
}

function isBefore(left: ScenarioOperation, right: ScenarioOperation): boolean {
  const [order, other] = [left.order ?? 0, right.order ?? 0];
  return order < other || (order === other && left.id < right.id);
}

/** What a run comes to under one schedule, and its events. */
async function runOnce(
  nodes: readonly Node[],
  schedule: { choices: readonly number[]; global?: number },
): Promise<{ outcome: string; commits: string[]; events: RunEvent[]; maxConcurrent: number }> {
  const scheduler = createManualScheduler();
  const operations = operationsOf(nodes, scheduler.hold);
  const model = createScriptedModel(["The answer."]);
  const { global } = schedule;
  const world = scenario({
    operations,
    mainModel: model,
    limits: { concurrency: global },
  });
  const handle = await world.engine.start(world.start);
  let at = 0;
  const choose = (count: number): number =>
    (schedule.choices[at++ % Math.max(1, schedule.choices.length)] ?? 0) % count;
  const result = await scheduler.runUntil(handle.result, choose);
  const key = {
    chatId: "chat",
    branchId: "main",
    profileId: "profile",
    operationProfileSessionId: "session",
  };
  const artifacts = await readState(world.chat, key);
  const events = await world.runs.readEvents(handle.runId);
  const outcome = canonicalJson({
    prompt: model.requests.map(({ messages }) =>
      messages.map(({ role, content }) => ({ role, content: String(content) })),
    ),
    artifacts: artifacts.map(({ tag, value, version }) => ({ tag, value, version })),
    turns: JSON.parse(JSON.stringify(await world.chat.turns({ chatId: "chat", branchId: "main" }))),
    log: JSON.parse(JSON.stringify(result.commitLog)),
    ends: result.operationRuns.map(({ operationId, status, skippedReason = "" }) => ({
      operationId,
      status,
      skippedReason,
    })),
    status: result.status,
  });
  const commits = result.commitLog.map(({ operationId }) => operationId);
  return { outcome, commits, events, maxConcurrent: scheduler.maxConcurrent };
}

// A run takes some milliseconds of timers, so that fewer of them are drawn than of pure properties.
const numRuns = Math.ceil((fc.readConfigureGlobal().numRuns ?? 200) / 8);

const choices = fc.array(fc.nat(11), { maxLength: 12 });
const schedules = fc.asyncProperty(
  fc.array(node, { minLength: 1, maxLength: 12 }),
  fc.tuple(choices, choices),
  async (nodes, [one, other]) => {
    const runs = [
      await runOnce(nodes, { choices: one }),
      await runOnce(nodes, { choices: other }),
      await runOnce(nodes, { choices: other, global: 2 }),
      await runOnce(nodes, { choices: one, global: 1 }),
    ];
    assert.equal(new Set(runs.map(({ outcome }) => outcome)).size, 1);
    assert.ok((runs[3]?.maxConcurrent ?? 0) <= 1);
    const order = commitOrder(nodes);
    for (const { commits, events } of runs) {
      assert.deepEqual(
        commits,
        order.filter((id) => commits.includes(id)),
      );
      assert.deepEqual(endsOf(events).toSorted(), nodes.map((_, at) => `op${at}`).sort());
      assert.deepEqual(
        events.map(({ seq }) => seq),
        events.map((_, at) => at + 1),
      );
    }
  },
);

describe("whatever the schedule", () => {
  it("prompt, artifacts, turn and log are the same to the byte, and each operation ends once", async () => {
    await fc.assert(schedules, { numRuns });
  });

  it("fails for an engine that commits in the order of ends", async () => {
    variant.commitsByEnds = true;
    try {
      const { failed, errorInstance } = await fc.check(schedules, {
        numRuns: 200,
        seed: 1,
        endOnFailure: true,
      });
      expect(failed).toBe(true);
      expect(String(errorInstance)).toContain("AssertionError");
    } finally {
      variant.commitsByEnds = false;
    }
  });

  it("two that end in either order leave the same prompt, in the order of commits", async () => {
    const nodes: Node[] = [0, 1].map((order) => ({
      order,
      required: false,
      isAfter: false,
      edges: [],
      does: "insert",
    }));
    const inOrder = await runOnce(nodes, { choices: [0] });
    const reversed = await runOnce(nodes, { choices: [1] });
    expect([endsOf(inOrder.events), endsOf(reversed.events)]).toEqual([
      ["op0", "op1"],
      ["op1", "op0"],
    ]);
    expect(reversed.outcome).toBe(inOrder.outcome);
    expect(inOrder.outcome).toContain('"Be brief."');
    expect(inOrder.outcome.indexOf('"op0"')).toBeLessThan(inOrder.outcome.indexOf('"op1"'));
  });

  it("events in any order, with duplicates, show the same run", async () => {
    const nodes: Node[] = [0, 1, 2].map((order) => ({
      order,
      required: false,
      isAfter: order === 2,
      edges: [0],
      does: "both",
    }));
    const { events } = await runOnce(nodes, { choices: [0] });
    const view = foldRunEvents(events);
    expect(view).toMatchObject({
      status: "done",
      text: "The answer.",
      phase: "finished",
      hasGap: false,
    });
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...events, ...events], { minLength: 2 * events.length }),
        (shuffled) => {
          expect(foldRunEvents(shuffled)).toEqual(view);
        },
      ),
    );
    expect(foldRunEvents(events.filter(({ seq }) => seq !== 3)).hasGap).toBe(true);
  });
});
