import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Hook } from "../operation/operation-definition.ts";
import { profileOf, registryOf, type ScenarioOperation } from "./engine-scenario.ts";
import { itemAt, type ArrayDraft, type PersistentArray } from "./persistent-array.ts";
import { planRun } from "./plan-run.ts";
import {
  commandOf,
  reduceRun,
  runMachinesFrom,
  type CommandNote,
  type RunMachine,
} from "./reduce-run.ts";
import {
  initialRunState,
  type OperationEnd,
  type RunState,
  type RunTransition,
} from "./run-state.ts";

const count = 70;
const hooks = fc.constantFrom<Hook>("before_main_llm", "after_main_llm");

const operations = fc
  .array(
    fc.record({
      required: fc.boolean(),
      hook: hooks,
      edges: fc.array(fc.nat(count), { maxLength: 3 }),
    }),
    {
      minLength: 1,
      maxLength: count,
      size: "max",
    },
  )
  .map((made) =>
    made.map(({ required, hook, edges }, at): ScenarioOperation => {
      const dependsOn = edges
        .filter((edge) => edge < at && made[edge]?.hook === hook)
        .map((edge) => `op${edge}`);
      return {
        id: `op${at}`,
        order: at,
        required,
        hooks: [hook],
        dependsOn: [...new Set(dependsOn)],
      };
    }),
  );

const index = fc.nat(count + 1);
const ended = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ status: "done" } as const) },
  fc.constantFrom(
    { status: "error" } as const,
    { status: "aborted" } as const,
    { status: "skipped" } as const,
    { status: "skipped", isExempt: true } as const,
  ),
);
function endOf([at, end]: [number, Pick<OperationEnd, "status" | "isExempt">]): RunTransition {
  return { type: "operation_finished", index: at, ...end };
}

const transitions = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: index.map((at): RunTransition => ({ type: "operation_started", index: at })),
    },
    { weight: 24, arbitrary: fc.tuple(index, ended).map(endOf) },
    {
      weight: 4,
      arbitrary: hooks.map((hook): RunTransition => ({ type: "commit_finished", hook })),
    },
    fc.constantFrom<RunTransition>(
      { type: "main_finished", status: "done" },
      { type: "begin" },
      { type: "stop", cause: "deadline" },
      { type: "grace_over" },
    ),
  ),
  { maxLength: 300, size: "max" },
);

function at<T>(array: PersistentArray<T> | ArrayDraft<T>, index: number): T {
  return "chunks" in array ? itemAt(array, index) : array.at(index);
}

/** Everything that a state says. */
function contentOf(state: RunState | RunMachine["state"]): unknown {
  const { stage, unfinished, running, isMainRunning, stop, plan } = state;
  const each = plan.operations.map((_, index) => [
    at(state.progress, index),
    at(state.waitingFor, index),
    at(state.blockedBy, index),
    at(state.exempt, index),
  ]);
  return { stage, unfinished, running, isMainRunning, stop, each };
}

describe("a run machine", () => {
  it("decides as the pure reducer does after any transitions, in and out of place, and leaves its first state", () => {
    let furthest = 0;
    fc.assert(
      fc.property(operations, transitions, (made, random) => {
        const plan = planRun(profileOf(made), { trigger: "generate", registry: registryOf(made) });
        const first = initialRunState(plan);
        const before = JSON.stringify(first);
        const machine = runMachinesFrom(first)();
        let state = first;
        for (const transition of [{ type: "begin" } as const, ...random]) {
          if ("index" in transition && transition.index >= plan.operations.length) continue;
          const pure = reduceRun(state, transition);
          expect(tell(machine, transition).map(commandOf)).toEqual(pure.commands);
          expect(contentOf(machine.state)).toEqual(contentOf(pure.state));
          state = pure.state;
        }
        furthest = Math.max(furthest, plan.operations.length);
        expect(JSON.stringify(first)).toBe(before);
      }),
      { numRuns: Math.ceil((fc.readConfigureGlobal().numRuns ?? 200) / 4) },
    );
    expect(furthest).toBeGreaterThan(32);
  });
});

/** In the short form wherever there is one. */
function tell(machine: RunMachine, transition: RunTransition): readonly CommandNote[] {
  if (transition.type === "operation_started") {
    machine.start(transition.index);
    return [];
  }
  const isPlain = transition.type === "operation_finished" && transition.status === "done";
  return machine.reduce(isPlain ? transition.index : transition) ?? [];
}
