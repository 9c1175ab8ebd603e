import type { EventPage } from "../events/event-page.ts";
import type { RunStep } from "./run-step.ts";
import type { AppendOutcome, RunAppend, RunStore } from "./run-store.ts";

/** An append whose events and steps are made when they are first read: nobody may ever ask. */
export interface UnmadeAppend extends Omit<RunAppend, "events" | "steps"> {
  events: EventPage;
  steps(): readonly RunStep[];
}

/** Takes one append at once. @throws what `append` would reject with */
export type UnmadeTaker = (append: UnmadeAppend) => AppendOutcome;

// By function and not by store, so that a copy of a store takes them too, and one whose `append` is another does not.
const takers = new WeakMap<RunStore["append"], UnmadeTaker>();

/** Has a store that keeps appends in memory take them unmade. */
export function offerUnmade(store: RunStore, take: UnmadeTaker): RunStore {
  takers.set(store.append, take);
  return store;
}

/** How the store takes appends unmade; undefined where it has to be given them made. */
export function unmadeTakerOf(store: RunStore): UnmadeTaker | undefined {
  return takers.get(store.append);
}

/** The append as any store takes it. */
export function madeAppend({
  runId,
  fencingToken,
  events,
  steps,
  result,
}: UnmadeAppend): RunAppend {
  return { runId, fencingToken, events: events.read(), steps: steps(), result };
}
