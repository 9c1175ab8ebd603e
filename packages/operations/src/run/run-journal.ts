import type { RunEvent, RunResult } from "../events/run-event.ts";
import type { AssistantVariant, TurnCommit } from "../ports/chat-store.ts";
import type { RunAppend, RunStep, RunStore } from "../ports/run-store.ts";

/** The run that owns the journal, and its callbacks. */
interface JournalOwner {
  runId: string;
  fencingToken: number;
  /** Called with events after they are stored. */
  onStored(events: readonly RunEvent[]): void;
  /** Called when nothing more can be stored, because another worker has the run or the store failed with the error. */
  onLost(error: unknown): void;
}

/** The journal of one run. */
export interface RunWriter {
  event(event: RunEvent): void;
  step(step: RunStep): void;
  /** Stores an answer or a commit with the next append, along with its step. */
  answer(answer: AssistantVariant): void;
  commit(commit: TurnCommit): void;
  /** Ends the run with the next append. */
  finish(result: RunResult): void;
  /** Resolves once everything so far is stored. Resolves with false if it never will be. */
  flushed(): Promise<boolean>;
  /** Stops storing. */
  close(): void;
}

/** Entries waiting for the next append. */
interface Pending extends Omit<RunAppend, "runId" | "fencingToken"> {
  events: RunEvent[];
  steps: RunStep[];
  waiters: ((isStored: boolean) => void)[];
}

const nothing = (): Pending => ({ events: [], steps: [], waiters: [] });

/** An append begins after this many turns of the microtask queue that add nothing. */
const idleTurns = 128;
/** While entries keep arriving, an append waits for up to this many. */
const maxTogether = 4_096;

/** Opens the journal of a run. Entries that arrive during an append wait for the next one. */
export function openRunWriter(runs: Pick<RunStore, "append">, owner: JournalOwner): RunWriter {
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
  const store = async (taken: Pending): Promise<void> => {
    const { waiters, ...added } = taken;
    const { events, steps, result } = added;
    const isEmpty = events.length + steps.length === 0 && result === undefined;
    try {
      const { runId, fencingToken } = owner;
      if (!isEmpty && !isLost) {
        const { status } = await runs.append({ ...added, runId, fencingToken });
        if (status === "appended") owner.onStored(events);
        else lose(undefined);
      }
    } catch (error) {
      lose(error);
    }
    settle(waiters);
    if (isLost) settle(pending.waiters);
  };
  const flush = async (): Promise<void> => {
    while (isDirty) {
      // Stores entries of work that waits for nothing outside the process together.
      const enough = written + maxTogether;
      for (let idle = 0, seen = written; idle < idleTurns; idle += 1) {
        if (isAwaited || written >= enough) break;
        await undefined;
        if (written > seen) idle = 0;
        seen = written;
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
  const flushed = (): Promise<boolean> =>
    new Promise((resolve) => {
      if (isLost) {
        resolve(false);
        return;
      }
      pending.waiters.push(resolve);
      isAwaited = true;
      touch();
    });
  return {
    event: (event) => change(() => pending.events.push(event)),
    step: (step) => change(() => pending.steps.push(step)),
    answer: (answer) => change(() => (pending.answer = answer)),
    commit: (commit) => change(() => (pending.commit = commit)),
    finish: (result) => change(() => (pending.result = result)),
    flushed,
    close() {
      isLost = true;
      settle(pending.waiters);
    },
  };
}
