import type { RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import type { RunStep } from "../ports/run-step.ts";
import type { RunAppend, RunStore } from "../ports/run-store.ts";
import type { RunResult } from "./run-result.ts";

/** The run that the journal belongs to, and its callbacks. */
interface JournalOwner {
  runId: string;
  fencingToken: number;
  /** Called with events once they are stored. */
  onStored(events: readonly RunEvent[]): void;
  /** Called when nothing more can be stored: another worker has the run, or the store failed with the error. */
  onLost(error: unknown): void;
}

/** The journal of one run. */
export interface RunWriter {
  event(event: RunEvent): void;
  step(step: RunStep): void;
  /** Ends the run with the next append. */
  finish(result: RunResult): void;
  /** Resolves once everything so far is stored. False if it never will be. */
  flushed(): Promise<boolean>;
  /** Stores nothing more. */
  close(): void;
}

/** Opens the journals of runs. */
export interface RunJournal {
  open(owner: JournalOwner): RunWriter;
}

/** Entries that wait for the next append. */
interface Pending extends Omit<RunAppend, "runId" | "fencingToken"> {
  events: RunEvent[];
  steps: RunStep[];
  waiters: ((isStored: boolean) => void)[];
}

const nothing = (): Pending => ({ events: [], steps: [], waiters: [] });

// While entries keep arriving, an append waits for up to this many.
const maxTogether = 4_096;

/** Creates journals on a store. Entries that arrive during an append wait for the next one. */
export function createRunJournal(runs: Pick<RunStore, "append">): RunJournal {
  return { open: (owner) => openWriter(runs, owner) };
}

function openWriter(runs: Pick<RunStore, "append">, owner: JournalOwner): RunWriter {
  let pending = nothing();
  let written = 0;
  let [isDirty, isBusy, isAwaited, isLost] = [false, false, false, false];
  const lose = (error: unknown): void => {
    if (isLost) return;
    isLost = true;
    owner.onLost(error);
  };
  const settle = (waiters: Pending["waiters"]): void => {
    for (const resolve of waiters.splice(0)) resolve(!isLost);
  };
  /** Never rejects. */
  const store = async ({ waiters, ...added }: Pending): Promise<void> => {
    const isEmpty = added.events.length + added.steps.length === 0 && added.result === undefined;
    try {
      const { runId, fencingToken } = owner;
      const outcomes =
        isEmpty || isLost ? [] : await runs.append([{ ...added, runId, fencingToken }]);
      if (outcomes[0] === "appended") owner.onStored(added.events);
      else if (outcomes[0] !== undefined) lose(undefined);
      else if (!isEmpty)
        throw new OperationsError("store_failed", "The run store gave no outcome for an append.");
    } catch (error) {
      lose(error);
    }
    settle(waiters);
    if (isLost) settle(pending.waiters);
  };
  const flush = async (): Promise<void> => {
    while (isDirty) {
      const enough = written + maxTogether;
      // Waits until a turn of the microtask queue adds nothing, so that entries of one decision are stored together.
      for (;;) {
        const seen = written;
        await undefined;
        if (seen === written || written >= enough || isAwaited) break;
      }
      [isDirty, isAwaited] = [false, false];
      const taken = pending;
      pending = nothing();
      await store(taken);
    }
    isBusy = false;
  };
  const touch = (): void => {
    isDirty = true;
    if (isBusy) return;
    isBusy = true;
    void flush();
  };
  const change = (apply: () => void): void => {
    if (isLost) return;
    apply();
    written += 1;
    touch();
  };
  return {
    event: (event) => change(() => pending.events.push(event)),
    step: (step) => change(() => pending.steps.push(step)),
    finish: (result) => change(() => (pending.result = result)),
    flushed: () =>
      new Promise((resolve) => {
        if (isLost) {
          resolve(false);
          return;
        }
        pending.waiters.push(resolve);
        isAwaited = true;
        touch();
      }),
    close() {
      isLost = true;
      settle(pending.waiters);
    },
  };
}
