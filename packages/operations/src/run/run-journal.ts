import type { RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import type { RunStep } from "../ports/run-step.ts";
import type { RunAppend, RunStore } from "../ports/run-store.ts";
import { isStoreTimeout } from "./bound-store.ts";
import type { RunResult } from "./run-result.ts";

/** Whose journal it is, and what it is notified of. */
interface JournalOwner {
  runId: string;
  fencingToken: number;
  /** These are stored now. */
  onStored(events: readonly RunEvent[]): void;
  /** Nothing more can be stored: another worker has the run, or the store failed with the error. */
  onLost(error: unknown): void;
}

/** The journal of one run. */
export interface RunWriter {
  event(event: RunEvent): void;
  step(step: RunStep): void;
  /** Ends the run with the next append. */
  finish(result: RunResult): void;
  /** Resolves once everything so far is stored; false where it never will be. */
  flushed(): Promise<boolean>;
  /** Nothing is stored from now on. */
  close(): void;
}

interface Pending {
  owner: JournalOwner;
  events: RunEvent[];
  steps: RunStep[];
  result: RunResult | undefined;
  /** It waits for the next append. */
  isDirty: boolean;
  isLost: boolean;
  waiters: ((isStored: boolean) => void)[];
}

/** Writes runs to the store, as many as there are in one append: what arrives during one waits for the next. */
export interface RunJournal {
  open(owner: JournalOwner): RunWriter;
}

// While entries keep arriving, an append waits for no more than these.
const maxTogether = 4_096;

/** A journal on a store. */
export function createRunJournal(runs: Pick<RunStore, "append">): RunJournal {
  const dirty: Pending[] = [];
  let isBusy = false;
  let written = 0;
  let isAwaited = false;
  const flush = async (): Promise<void> => {
    while (dirty.length > 0) {
      const enough = written + maxTogether;
      // Until a turn of the microtask queue brings nothing new: what is decided together is stored together.
      for (;;) {
        const seen = written;
        await undefined;
        if (seen === written || written >= enough || isAwaited) break;
      }
      isAwaited = false;
      await storeAll(runs, dirty.splice(0).map(take));
    }
    isBusy = false;
  };
  const touch = (pending: Pending): void => {
    if (pending.isDirty) return;
    pending.isDirty = true;
    dirty.push(pending);
    if (isBusy) return;
    isBusy = true;
    void flush();
  };
  return {
    open(owner) {
      const pending: Pending = {
        owner,
        events: [],
        steps: [],
        result: undefined,
        waiters: [],
        isDirty: false,
        isLost: false,
      };
      const change = (apply: () => void): void => {
        if (pending.isLost) return;
        apply();
        written += 1;
        touch(pending);
      };
      return {
        event: (event) => change(() => pending.events.push(event)),
        step: (step) => change(() => pending.steps.push(step)),
        finish: (result) => change(() => (pending.result = result)),
        flushed: () =>
          new Promise((resolve) => {
            if (pending.isLost) {
              resolve(false);
              return;
            }
            pending.waiters.push(resolve);
            isAwaited = true;
            touch(pending);
          }),
        close() {
          pending.isLost = true;
          for (const resolve of pending.waiters.splice(0)) resolve(false);
        },
      };
    },
  };
}

interface Taken {
  pending: Pending;
  append: RunAppend;
  waiters: Pending["waiters"];
}

function take(pending: Pending): Taken {
  const { runId, fencingToken } = pending.owner;
  const { events, steps, result, waiters } = pending;
  pending.events = [];
  pending.steps = [];
  pending.result = undefined;
  pending.waiters = [];
  pending.isDirty = false;
  return { pending, append: { runId, fencingToken, events, steps, result }, waiters };
}

function hasContent({ pending, append: { events, steps, result } }: Taken): boolean {
  return !pending.isLost && (events.length > 0 || steps.length > 0 || result !== undefined);
}

/** Never rejects. */
async function storeAll(runs: Pick<RunStore, "append">, batch: readonly Taken[]): Promise<void> {
  const full = batch.filter(hasContent);
  try {
    const appends = full.map(({ append }) => append);
    const outcomes = appends.length === 0 ? [] : await runs.append(appends);
    if (!Array.isArray(outcomes) || outcomes.length !== full.length) {
      const message = `The run store gave no outcome for each of ${full.length} appends.`;
      throw new OperationsError("store_failed", message);
    }
    for (const [index, taken] of full.entries()) {
      if (outcomes[index] === "appended") taken.pending.owner.onStored(taken.append.events);
      else lose(taken, undefined);
    }
  } catch (error) {
    // One bad append must not take the others with it; a store that hangs would hang for each.
    if (full.length > 1 && !isStoreTimeout(error)) {
      settle(batch.filter((taken) => !full.includes(taken)));
      for (const taken of full) await storeAll(runs, [taken]);
      return;
    }
    for (const taken of full) lose(taken, error);
  }
  settle(batch);
}

function settle(batch: readonly Taken[]): void {
  for (const { pending, waiters } of batch) for (const resolve of waiters) resolve(!pending.isLost);
}

function lose({ pending, waiters }: Taken, error: unknown): void {
  if (!pending.isLost) {
    pending.isLost = true;
    pending.owner.onLost(error);
  }
  for (const resolve of [...waiters, ...pending.waiters.splice(0)]) resolve(false);
}
