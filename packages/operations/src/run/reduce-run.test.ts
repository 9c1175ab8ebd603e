import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Hook } from "../operation/operation-definition.ts";
import {
  profileOf,
  registryOf,
  type ScenarioOperation,
} from "../../test-support/engine-scenario.ts";
import { planRun, type RunPlan } from "./plan-run.ts";

import {
  initialRunState,
  type OperationEnd,
  type RunCommand,
  type RunState,
  type RunTransition,
  reduceRun,
} from "./reduce-run.ts";
import { isAtLeast } from "../../../../scripts/lengths/test-length.mjs";

const isLong = isAtLeast("faults");

type Outcome = "done" | "skipped" | "exempt" | "error" | "aborted";

const outcomes: readonly Outcome[] = ["done", "skipped", "exempt", "error", "aborted"];

function planOf(operations: readonly ScenarioOperation[]): RunPlan {
  return planRun(profileOf(operations), { trigger: "generate", registry: registryOf(operations) });
}

const endOf = (index: number, outcome: Outcome): OperationEnd =>
  outcome === "exempt" ? { index, status: "skipped", isExempt: true } : { index, status: outcome };

/** What is under way: everything that could be the next to happen. */
interface Pending {
  operations: readonly number[];
  hook?: Hook;
  isMainRunning: boolean;
}

/** A run on paper: its state and what has been asked for and not yet answered. */
interface Walk {
  state: RunState;
  pending: Pending;
  finish?: Extract<RunCommand, { type: "finish" }>;
  /** Each operation's end, in the order of ends; twice where it ended twice. */
  ends: string[];
}

interface Step {
  state: RunState;
  commands: RunCommand[];
}

/** As `reduceRun`, on a copy of the state. */
function reduceCopy(before: RunState, transition: RunTransition): Step {
  const state: RunState = {
    ...before,
    operations: before.operations.map((operation) => ({ ...operation })),
  };
  return { state, commands: reduceRun(state, transition) };
}

const reducers = {
  ours: reduceCopy,
  /** Negative control: an operation starts as soon as one of its dependencies is done. */
  eager(state: RunState, transition: RunTransition): Step {
    const reduction = reduceCopy(state, transition);
    if (transition.type !== "operation_finished" || transition.status !== "done") return reduction;
    const extra = (state.operations[transition.index]?.planned.dependents ?? [])
      .filter((index) => reduction.state.operations[index]?.progress === "waiting")
      .map((index): RunCommand => ({ type: "start_operation", index }));
    return { ...reduction, commands: [...reduction.commands, ...extra] };
  },
};

type Reducer = keyof typeof reducers;

function step(walk: Walk, transition: RunTransition, reducer: Reducer): Walk {
  const { state, commands } = reducers[reducer](walk.state, transition);
  const next: Walk = { ...walk, state, pending: { ...walk.pending }, ends: [...walk.ends] };
  for (const command of commands) {
    if (command.type === "start_operation")
      next.pending.operations = [...next.pending.operations, command.index];
    if (command.type === "end_operation") next.ends.push(`${command.index}:${command.status}`);
    if (command.type === "end_operation")
      next.pending.operations = next.pending.operations.filter((at) => at !== command.index);
    if (command.type === "commit") next.pending.hook = command.hook;
    if (command.type === "start_main") next.pending.isMainRunning = true;
    if (command.type === "finish") next.finish = command;
  }
  return next;
}

/** Everything that may happen next, each with the walk after it. */
function nexts(walk: Walk, outcomeOf: (index: number) => Outcome, reducer: Reducer): Walk[] {
  const { operations, hook, isMainRunning } = walk.pending;
  const results = operations.map((index) => {
    const without = {
      ...walk,
      pending: { ...walk.pending, operations: operations.filter((at) => at !== index) },
    };
    const end = endOf(index, outcomeOf(index));
    const ended = step(without, { type: "operation_finished", ...end }, reducer);
    return {
      ...ended,
      ends: [...walk.ends, `${index}:${end.status}`, ...ended.ends.slice(walk.ends.length)],
    };
  });
  if (hook !== undefined) {
    const { hook: _hook, ...rest } = walk.pending;
    results.push(step({ ...walk, pending: rest }, { type: "commit_finished", hook }, reducer));
  }
  if (isMainRunning) {
    const pending = { ...walk.pending, isMainRunning: false };
    results.push(step({ ...walk, pending }, { type: "main_finished", status: "done" }, reducer));
  }
  return results;
}

function beginOf(plan: RunPlan, reducer: Reducer = "ours"): Walk {
  const walk: Walk = {
    state: initialRunState(plan),
    pending: { operations: [], isMainRunning: false },
    ends: [],
  };
  return step(walk, { type: "begin" }, reducer);
}

/** How the document says that each operation and the run end, written down without a scheduler. */
function expectedEnd(
  plan: RunPlan,
  outcomeOf: (index: number) => Outcome,
): { ends: string[]; finish: string } {
  const ends = new Map<number, Outcome>();
  const endHook = (hook: Hook): boolean => {
    for (const { index, hook: at, dependencies, config } of plan.operations) {
      if (at !== hook) continue;
      const before = dependencies.map((dependency) => ends.get(dependency));
      const isBlocked = before.some((end) => end !== "done" && end !== "exempt");
      if (isBlocked) ends.set(index, config.required ? "error" : "skipped");
      else ends.set(index, before.includes("exempt") ? "exempt" : outcomeOf(index));
    }
    return plan.operations.every(({ index, hook: at, config }) => {
      const end = ends.get(index);
      return at !== hook || !config.required || end === "done" || end === "exempt";
    });
  };
  const finish = !endHook("before_main_llm")
    ? "failed/before_barrier"
    : endHook("after_main_llm")
      ? "done"
      : "failed/after_main_llm";
  for (const { index } of plan.operations) if (!ends.has(index)) ends.set(index, "skipped");
  const shown = [...ends].map(([index, end]) => `${index}:${end === "exempt" ? "skipped" : end}`);
  return { ends: shown.sort(), finish };
}

const finishOf = ({ finish }: Walk): string =>
  [finish?.status, finish?.failedType].filter(Boolean).join("/");

/** Walks every interleaving; states that were seen are not walked again. */
function walkAll(
  plan: RunPlan,
  outcomeOf: (index: number) => Outcome,
  reducer: Reducer,
): { finals: Walk[]; states: number } {
  const seen = new Set<string>();
  const finals: Walk[] = [];
  const waiting = [beginOf(plan, reducer)];
  for (let walk = waiting.pop(); walk !== undefined; walk = waiting.pop()) {
    const key = JSON.stringify([
      walk.state.stage,
      walk.state.operations.map(({ progress }) => progress),
      walk.pending.operations.toSorted(),
      walk.ends.toSorted(),
    ]);
    if (seen.has(key)) continue;
    seen.add(key);
    const following = nexts(walk, outcomeOf, reducer);
    if (following.length === 0) finals.push(walk);
    waiting.push(...following);
  }
  return { finals, states: seen.size };
}

/** What a stop comes to, what is under way ending after it; undefined where it changes nothing. */
function stopAt(walk: Walk): unknown {
  const { state, commands } = reduceCopy(walk.state, { type: "stop", cause: "user_abort" });
  if (commands.length === 0) return undefined;
  let after: Walk = {
    ...walk,
    state,
    pending: { operations: [], isMainRunning: false },
    ends: [...walk.ends],
  };
  for (const command of commands) {
    if (command.type === "end_operation") after.ends.push(`${command.index}:${command.status}`);
    if (command.type === "finish") after.finish = command;
  }
  if (after.finish === undefined) {
    const { hook } = walk.pending;
    const end =
      hook === undefined
        ? ({ type: "main_finished", status: "aborted" } as const)
        : ({ type: "commit_finished", hook } as const);
    after = step(after, end, "ours");
  }
  return {
    starts: commands.filter(
      ({ type }) => type === "start_operation" || type === "start_main" || type === "commit",
    ).length,
    ends: after.ends.length,
    differentEnds: new Set(after.ends.map((end) => end.split(":")[0])).size,
    finish: after.finish?.status,
    finishReason: after.finish?.finishReason,
  };
}

describe("reduceRun", () => {
  it.each(
    outcomes.flatMap((outcome) =>
      (["before_main_llm", "after_main_llm"] as const).flatMap((hook) =>
        [true, false].map((required) => ({ outcome, hook, required })),
      ),
    ),
  )(
    "ends a run as the document says: $outcome, $hook, required $required",
    ({ outcome, hook, required }) => {
      const plan = planOf([
        { id: "a", hooks: [hook], required },
        { id: "b", hooks: [hook], dependsOn: ["a"] },
        { id: "c", hooks: [hook], dependsOn: ["a"], required },
      ]);
      const outcomeOf = (index: number): Outcome => (index === 0 ? outcome : "done");
      const { finals } = walkAll(plan, outcomeOf, "ours");
      const expected = expectedEnd(plan, outcomeOf);
      expect(finals.length).toBeGreaterThan(0);
      for (const final of finals)
        expect({ ends: final.ends.toSorted(), finish: finishOf(final) }).toEqual(expected);
    },
  );

  // All graphs of up to 4 or 5 operations, with every outcome of up to two of them.
  const graphs = (count: number): ScenarioOperation[][] => {
    const edges = Array.from({ length: count }, (_, to) =>
      Array.from({ length: to }, (_, from) => [from, to] as const),
    ).flat();
    return Array.from({ length: 2 ** edges.length }, (_, at) => {
      const chosen = edges.filter((_, bit) => (at >> bit) & 1);
      return Array.from({ length: count }, (_, to) => ({
        id: `op${to}`,
        required: to === count - 1 || to === 1,
        dependsOn: chosen.filter(([, target]) => target === to).map(([from]) => `op${from}`),
      }));
    });
  };

  it.each(isLong ? [1, 2, 3, 4, 5] : [1, 2, 3, 4])(
    "comes to one end by every interleaving of %i operations",
    (count) => {
      let states = 0;
      for (const operations of graphs(count)) {
        const plan = planOf(operations);
        for (const [first, second] of [
          ["done", "done"],
          ["error", "done"],
          ["exempt", "skipped"],
        ] as const) {
          const outcomeOf = (index: number): Outcome =>
            index === 0 ? first : index === 2 ? second : "done";
          const walked = walkAll(plan, outcomeOf, "ours");
          states += walked.states;
          const expected = expectedEnd(plan, outcomeOf);
          for (const final of walked.finals)
            expect({ ends: final.ends.toSorted(), finish: finishOf(final) }).toEqual(expected);
        }
      }
      expect(states).toBeGreaterThan(count);
    },
  );

  it("would be found out by the interleavings if it started too early", () => {
    const plan = planOf([{ id: "a" }, { id: "b" }, { id: "c", dependsOn: ["a", "b"] }]);
    const outcomeOf = (index: number): Outcome => (index === 1 ? "error" : "done");
    const expected = expectedEnd(plan, outcomeOf);
    const { finals } = walkAll(plan, outcomeOf, "eager");
    expect(
      finals.some(
        (final) => JSON.stringify(final.ends.toSorted()) !== JSON.stringify(expected.ends),
      ),
    ).toBe(true);
  });

  it("ends as aborted wherever it is stopped, starts nothing then, and lets no operation end twice", () => {
    const plan = planOf([
      { id: "a", required: true },
      { id: "b", dependsOn: ["a"] },
      { id: "c", hooks: ["after_main_llm"] },
      { id: "d", hooks: ["after_main_llm"], dependsOn: ["c"] },
    ]);
    const stops: { isTooLate: boolean; found: unknown }[] = [];
    const waiting = [beginOf(plan)];
    const seen = new Set<string>();
    for (let walk = waiting.pop(); walk !== undefined; walk = waiting.pop()) {
      const key = JSON.stringify([
        walk.state.stage,
        walk.state.operations.map(({ progress }) => progress),
        walk.pending,
      ]);
      if (seen.has(key)) continue;
      seen.add(key);
      waiting.push(...nexts(walk, () => "done", "ours"));
      const isTooLate = walk.finish !== undefined || walk.state.stage === "commit_after";
      stops.push({ isTooLate, found: stopAt(walk) });
    }
    const ended = {
      starts: 0,
      ends: 4,
      differentEnds: 4,
      finish: "aborted",
      finishReason: "user_abort",
    };
    expect(stops.filter(({ isTooLate }) => !isTooLate).map(({ found }) => found)).toEqual(
      Array.from({ length: stops.filter(({ isTooLate }) => !isTooLate).length }, () => ended),
    );
    expect(stops.filter(({ isTooLate }) => isTooLate).map(({ found }) => found)).toEqual(
      Array.from({ length: stops.filter(({ isTooLate }) => isTooLate).length }, () => undefined),
    );
    expect(stops.length).toBeGreaterThan(6);
  });

  it("ignores what is out of place", () => {
    const plan = planOf([{ id: "a" }, { id: "b", dependsOn: ["a"] }]);
    const { state } = beginOf(plan);
    reduceRun(state, { type: "operation_finished", index: 0, status: "done" });
    const before = JSON.stringify(state);
    const misplaced: RunTransition[] = [
      { type: "begin" },
      { type: "operation_finished", index: 0, status: "error" },
      { type: "operation_started", index: 0 },
      { type: "commit_finished", hook: "after_main_llm" },
      { type: "main_finished", status: "done" },
      { type: "grace_over" },
    ];
    for (const transition of misplaced) {
      expect(reduceRun(state, transition)).toEqual([]);
      expect(JSON.stringify(state)).toBe(before);
    }
  });

  it("leaves out a chain of 20,000 operations without running out of stack", () => {
    const operations = Array.from({ length: 20_000 }, (_, at): ScenarioOperation => ({
      id: `op${at}`,
      order: at,
      dependsOn: at > 0 ? [`op${at - 1}`] : undefined,
    }));
    const walk = beginOf(planOf(operations));
    const final = step(walk, { type: "operation_finished", index: 0, status: "error" }, "ours");
    expect([final.ends.length, final.state.stage]).toEqual([19_999, "commit_before"]);
  });
});

// Its checks run in the property below.
/* oxlint-disable vitest/no-standalone-expect */
/** A run on paper that takes any event and throws where a command is out of place. */
class CheckedRun {
  readonly #plan: RunPlan;
  readonly #state: RunState;
  readonly #asked = new Set<number>();
  readonly #running = new Set<number>();
  readonly #ended = new Map<number, Outcome>();
  #commit: Hook | undefined;
  #main: "before" | "running" | "over" = "before";
  #stop: "user_abort" | "deadline" | undefined;
  #hasEngineFailed = false;
  #expected: Record<string, unknown> | undefined;
  finish: Extract<RunCommand, { type: "finish" }> | undefined;

  constructor(plan: RunPlan) {
    this.#plan = plan;
    this.#state = initialRunState(plan);
    this.#send({ type: "begin" });
  }

  /** What may happen next, what an undisturbed run would do first. */
  events(): (() => void)[] {
    const open = [...this.#asked].filter((index) => !this.#ended.has(index));
    const events = open.flatMap((index) => [
      ...(this.#running.has(index) ? [] : [() => this.#started(index)]),
      ...outcomes.map((outcome) => () => this.#finished(index, outcome)),
    ]);
    const hook = this.#commit;
    if (hook !== undefined) {
      events.push(() => this.#committed(hook));
      events.push(() => this.#committed(hook, { errorCode: "internal_error", errorMessage: "no" }));
    }
    if (this.#main === "running") {
      events.push(() => this.#mainFinished({ status: "done" }));
      const error = { code: "provider_error", message: "no" } as const;
      events.push(() => this.#mainFinished({ status: "error", error }));
    }
    events.push(() => this.#stopped("user_abort"));
    events.push(() => this.#stopped("deadline"));
    events.push(() => this.#send({ type: "grace_over" }));
    events.push(() => this.#engineFailed(false));
    events.push(() => this.#engineFailed(true));
    return events;
  }

  #started(index: number): void {
    this.#running.add(index);
    this.#send({ type: "operation_started", index });
  }

  #finished(index: number, outcome: Outcome): void {
    this.#running.delete(index);
    this.#ended.set(index, outcome);
    this.#send({ type: "operation_finished", ...endOf(index, outcome) });
  }

  #committed(hook: Hook, failure?: { errorCode: "internal_error"; errorMessage: string }): void {
    this.#commit = undefined;
    const failedType = hook === "before_main_llm" ? "before_barrier" : hook;
    if (failure) this.#expected = { status: "failed", failedType, failedDetails: failure };
    this.#send({ type: "commit_finished", hook, failure });
  }

  #mainFinished(end: Omit<Extract<RunTransition, { type: "main_finished" }>, "type">): void {
    this.#main = "over";
    const { status, error } = end;
    const failedDetails = { errorCode: error?.code, errorMessage: error?.message };
    if (status === "error" && this.#stop === undefined)
      this.#expected = { status: "failed", failedType: "main_llm", failedDetails };
    this.#send({ type: "main_finished", ...end });
  }

  #stopped(cause: "user_abort" | "deadline"): void {
    const isHeard = this.#stop === undefined && this.#commit !== "after_main_llm";
    if (isHeard) this.#stop = cause;
    const commands = this.#send({ type: "stop", cause });
    expect(commands.some(({ type }) => type === "signal_abort")).toBe(isHeard);
  }

  /** In an earlier worker the main call may have begun though it has not in this one. */
  #engineFailed(isMainBegun: boolean): void {
    this.#hasEngineFailed = true;
    const begun = isMainBegun ? "main_llm" : "before_barrier";
    const failedType = { before: begun, running: "main_llm", over: "after_main_llm" }[this.#main];
    const details = { errorMessage: "disk" };
    this.#expected = { status: "failed", failedType, failedDetails: details };
    this.#send({ type: "engine_failed", details, isMainBegun: isMainBegun || undefined });
  }

  #send(transition: RunTransition): RunCommand[] {
    const commands = reduceRun(this.#state, transition);
    for (const command of commands) this.#take(command);
    expect(commands.filter(({ type }) => type === "signal_abort").length).toBeLessThan(2);
    return commands;
  }

  #take(command: RunCommand): void {
    expect(this.finish).toBeUndefined();
    if (command.type === "start_operation") this.#start(command.index);
    else if (command.type === "end_operation") this.#end(command);
    else if (command.type === "commit") {
      // After the main call what was done is committed, whatever else failed.
      if (command.hook === "before_main_llm") expect(this.#undone(command.hook)).toBeUndefined();
      expect(this.#isOver(command.hook)).toBe(true);
      this.#commit = command.hook;
    } else if (command.type === "start_main") {
      expect([this.#main, this.#stop, this.#commit]).toEqual(["before", undefined, undefined]);
      this.#main = "running";
    } else if (command.type === "detach_main") {
      expect(this.#main).toBe("running");
      this.#main = "over";
    } else if (command.type === "finish") this.#check(command);
  }

  #start(index: number): void {
    const { dependencies = [], hook } = this.#plan.operations[index] ?? {};
    expect(dependencies.map((each) => this.#ended.get(each))).toEqual(
      dependencies.map(() => "done"),
    );
    expect([this.#asked.has(index), this.#ended.has(index), this.#stop]).toEqual([
      false,
      false,
      undefined,
    ]);
    expect(hook).toBe(this.#main === "before" ? "before_main_llm" : "after_main_llm");
    this.#asked.add(index);
  }

  #end({ index, status, isExempt, skippedReason, error, detached }: OperationEnd): void {
    expect(this.#ended.has(index)).toBe(false);
    expect(this.#running.has(index)).toBe(detached === true);
    const isStopped = this.#stop !== undefined || this.#hasEngineFailed;
    const { dependencies = [], config, hook } = this.#plan.operations[index] ?? {};
    const before = dependencies.map((each) => this.#ended.get(each));
    const isBegun = hook === "before_main_llm" || this.#main === "over";
    const reason = isStopped
      ? "aborted"
      : !isBegun || this.#expected !== undefined
        ? `skipped/${this.#main === "before" ? "barrier_failed" : "main_llm_failed"}`
        : before.every((end) => end === "done" || end === "exempt")
          ? "skipped/condition_false"
          : `${config?.required === true ? "error" : "skipped"}/dependency_failed`;
    const shown = [status, skippedReason ?? error?.code].filter(Boolean).join("/");
    expect(shown).toBe(reason);
    expect(isExempt === true).toBe(shown === "skipped/condition_false");
    this.#running.delete(index);
    this.#ended.set(index, isExempt === true ? "exempt" : status);
  }

  #check(finish: Extract<RunCommand, { type: "finish" }>): void {
    const { operations } = this.#plan;
    expect(operations.filter(({ index }) => !this.#ended.has(index))).toEqual([]);
    expect([this.#running.size, this.#main === "running"]).toEqual([0, false]);
    const hook = this.#main === "over" ? "after_main_llm" : "before_main_llm";
    const failedType = hook === "before_main_llm" ? "before_barrier" : hook;
    const culprit = this.#undone(hook);
    const expected =
      this.#expected ??
      (this.#stop !== undefined
        ? { status: "aborted", finishReason: this.#stop }
        : culprit === undefined
          ? { status: "done" }
          : { status: "failed", failedType, failedDetails: { operationId: culprit } });
    expect(JSON.parse(JSON.stringify(finish))).toEqual({ type: "finish", ...expected });
    this.finish = finish;
  }

  #isOver(hook: Hook): boolean {
    return this.#plan.operations.every((each) => each.hook !== hook || this.#ended.has(each.index));
  }

  /** The first required operation of the hook that is neither done nor exempt. */
  #undone(hook: Hook): string | undefined {
    return this.#plan.operations.find(({ index, hook: at, config }) => {
      const end = this.#ended.get(index);
      return at === hook && config.required && end !== "done" && end !== "exempt";
    })?.operationId;
  }
}
/* oxlint-enable vitest/no-standalone-expect */

it("keeps its order, ends everything once and says why, whatever happens when", () => {
  const graph = fc.array(
    fc.record({
      required: fc.boolean(),
      isAfter: fc.boolean(),
      edges: fc.array(fc.nat(6), { maxLength: 3 }),
    }),
    { maxLength: 7 },
  );
  // Mostly what is next, so that runs come to their last part too.
  const choice = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(20));
  const finishes = new Set<string>();
  fc.assert(
    fc.property(graph, fc.array(choice, { maxLength: 30 }), (nodes, choices) => {
      const plan = planOf(
        nodes.map(({ required, isAfter, edges }, at): ScenarioOperation => ({
          id: `op${at}`,
          required,
          hooks: [isAfter ? "after_main_llm" : "before_main_llm"],
          dependsOn: edges
            .filter((edge) => edge < at && nodes[edge]?.isAfter === isAfter)
            .map((edge) => `op${edge}`),
        })),
      );
      const run = new CheckedRun(plan);
      for (let step = 0; run.finish === undefined; step += 1) {
        expect(step).toBeLessThan(100);
        const events = run.events();
        events[(choices[step] ?? 0) % events.length]?.();
      }
      finishes.add(`${run.finish.status}/${run.finish.failedType ?? ""}`);
    }),
    { numRuns: 300 },
  );
  expect([...finishes].sort()).toEqual([
    "aborted/",
    "done/",
    "failed/after_main_llm",
    "failed/before_barrier",
    "failed/main_llm",
  ]);
});

describe("planRun", () => {
  it("orders by dependencies, then order, then code units", () => {
    const ids = (operations: ScenarioOperation[]): string[] =>
      planOf(operations).operations.map(({ operationId }) => operationId);
    expect(ids(["b", "ä", "Z", "a", "😀", "\uFF5E"].map((id) => ({ id })))).toEqual([
      "Z",
      "a",
      "b",
      "ä",
      "😀",
      "\uFF5E",
    ]);
    expect(
      ids([
        { id: "late", order: -5, dependsOn: ["x"] },
        { id: "x", order: 9 },
        { id: "y", order: 9.5 },
      ]),
    ).toEqual(["x", "late", "y"]);
  });

  it("gives the least topological order of any graph", () => {
    const graph = fc.uniqueArray(
      fc.record({
        id: fc.string({ minLength: 1, maxLength: 3 }),
        order: fc.integer({ min: 0, max: 2 }),
        edges: fc.array(fc.nat(20), { maxLength: 3 }),
      }),
      { selector: ({ id }) => id, maxLength: 12 },
    );
    fc.assert(
      fc.property(graph, fc.integer(), (nodes, seed) => {
        const names = nodes.map(
          ({ id }) => `op${id.replaceAll(/[^a-z]/giu, (char) => String(char.codePointAt(0)))}`,
        );
        fc.pre(new Set(names).size === names.length);
        const operations = nodes.map(({ order, edges }, at): ScenarioOperation => ({
          id: names[at] ?? "",
          order,
          dependsOn: edges.filter((edge) => edge < at).map((edge) => names[edge] ?? ""),
        }));
        const shuffled = operations.toSorted(
          (left, right) => ((left.id.length * 31 + seed) % 7) - ((right.id.length * 31 + seed) % 7),
        );
        const planned = planOf(shuffled).operations.map(({ operationId }) => operationId);
        // The definition itself, without a queue: always the least of those whose dependencies are placed.
        const expected: string[] = [];
        while (expected.length < operations.length) {
          const ready = operations.filter(
            ({ id, dependsOn = [] }) =>
              !expected.includes(id) && dependsOn.every((at) => expected.includes(at)),
          );
          ready.sort(
            (left, right) =>
              (left.order ?? 0) - (right.order ?? 0) || (left.id < right.id ? -1 : 1),
          );
          expected.push(ready[0]?.id ?? "none");
        }
        expect(planned).toEqual(expected);
      }),
    );
  });

  it("refuses a cycle that nobody validated", () => {
    expect(() =>
      planOf([
        { id: "a", dependsOn: ["b"] },
        { id: "b", dependsOn: ["a"] },
      ]),
    ).toThrow(/cycle/u);
  });
});
