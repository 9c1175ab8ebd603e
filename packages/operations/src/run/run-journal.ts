import type { EventPage } from "../events/event-page.ts";
import type { RunEvent } from "../events/run-event.ts";
import { OperationsError } from "../operations-error.ts";
import type { RunStep } from "../ports/run-step.ts";
import type { AppendOutcome, RunStore } from "../ports/run-store.ts";
import {
  madeAppend,
  unmadeTakerOf,
  type UnmadeAppend,
  type UnmadeTaker,
} from "../ports/unmade-append.ts";
import { endNote, startNote, type NoteReader, type RunNote } from "./run-notes.ts";
import type { RunResult } from "./run-result.ts";

/** What a run wants to hear of its journal. */
interface JournalOwner {
  runId: string;
  fencingToken: number;
  /** Of its next event. */
  nextSeq: number;
  reader: NoteReader;
  /** These are stored now. */
  onStored(events: EventPage): void;
  /** Nothing more can be stored: another worker has the run, or the store failed with the error. */
  onLost(error: unknown): void;
}

/** The journal of one run. */
export interface RunWriter {
  event(event: RunEvent): void;
  step(step: RunStep): void;
  /** The event that an operation has started; its number is the next one. */
  started(index: number): void;
  /** The event that an operation has ended, with the next number, its last step, or both. */
  ended(index: number, what: { isEvent: boolean; isStep: boolean }): void;
  /** Ends the run with the next append. */
  finish(result: RunResult): void;
  /** Resolves once everything so far is stored; false where it never will be. */
  flushed(): Promise<boolean>;
  /** Nothing is stored from now on. */
  close(): void;
}

interface Pending {
  owner: JournalOwner;
  /** Of the first event that is noted. */
  nextSeq: number;
  notes: RunNote[];
  /** Events among them. */
  eventCount: number;
  result: RunResult | undefined;
  /** It waits for the next append. */
  isDirty: boolean;
  isLost: boolean;
  waiters: ((isStored: boolean) => void)[];
}

/** Writes runs to the store, as many as there are in one append: what comes up during one waits for the next. */
export interface RunJournal {
  open(owner: JournalOwner): RunWriter;
}

// Entries for which the next append waits at most, while more of them keep coming.
const maxTogether = 4_096;

/** A journal on a store. */
export function createRunJournal(store: RunStore): RunJournal {
  // No set that is emptied each time: its former tables would point to the later ones and keep runs that are over alive.
  let dirty: Pending[] = [];
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
      const batch = dirty.map(take);
      dirty = [];
      const taker = unmadeTakerOf(store);
      if (taker === undefined) await storeAll(store, batch);
      else for (const taken of batch) storeUnmade(taker, taken);
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
        nextSeq: owner.nextSeq,
        ...nothingNoted(),
        isDirty: false,
        isLost: false,
      };
      const add = (note: RunNote, isEvent: boolean): void => {
        if (pending.isLost) return;
        pending.notes.push(note);
        if (isEvent) pending.eventCount += 1;
        written += 1;
        if (!pending.isDirty) touch(pending);
      };
      return {
        event: (event) => add(event, true),
        step: (step) => add(step, false),
        started: (index) => add(startNote(index), true),
        ended: (index, what) => add(endNote(index, what), what.isEvent),
        finish(result) {
          if (pending.isLost) return;
          pending.result = result;
          touch(pending);
        },
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

type Noted = Pick<Pending, "notes" | "eventCount" | "result" | "waiters">;

const nothingNoted = (): Noted => ({ notes: [], eventCount: 0, result: undefined, waiters: [] });

interface Taken {
  pending: Pending;
  append: UnmadeAppend;
  hasContent: boolean;
  waiters: Pending["waiters"];
}

function take(pending: Pending): Taken {
  const { owner, notes, eventCount, result, waiters, nextSeq } = pending;
  const { runId, fencingToken, reader } = owner;
  const append: UnmadeAppend = {
    runId,
    fencingToken,
    events: {
      firstSeq: nextSeq,
      length: eventCount,
      read: once(() => reader.events(notes, nextSeq)),
    },
    steps: once(() => reader.steps(notes)),
  };
  if (result !== undefined) append.result = result;
  Object.assign(pending, nothingNoted());
  pending.nextSeq += eventCount;
  pending.isDirty = false;
  const hasContent = notes.length > 0 || result !== undefined;
  return { pending, append, hasContent, waiters };
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}

async function storeAll(store: RunStore, batch: readonly Taken[]): Promise<void> {
  const full = batch.filter(({ pending, hasContent }) => !pending.isLost && hasContent);
  let outcomes;
  try {
    outcomes =
      full.length === 0 ? [] : await store.append(full.map(({ append }) => madeAppend(append)));
    if (!Array.isArray(outcomes) || outcomes.length !== full.length) {
      throw new OperationsError(
        "store_failed",
        `The run store gave no outcome for each of ${full.length} appends.`,
      );
    }
  } catch (error) {
    // One bad append must not take the others with it.
    if (full.length > 1) for (const taken of full) await storeAll(store, [taken]);
    else for (const taken of full) lose(taken, error);
    settle(batch.filter((taken) => !full.includes(taken)));
    return;
  }
  for (const [index, taken] of full.entries()) conclude(taken, outcomes[index]);
  settle(batch);
}

/** As `storeAll`, for a store that takes appends one by one and at once. */
function storeUnmade(take: UnmadeTaker, taken: Taken): void {
  if (!taken.pending.isLost && taken.hasContent) {
    let [outcome, error]: [AppendOutcome | undefined, unknown] = [undefined, undefined];
    try {
      outcome = take(taken.append);
    } catch (thrown) {
      error = thrown;
    }
    conclude(taken, outcome, error);
  }
  settle([taken]);
}

function conclude(taken: Taken, outcome: AppendOutcome | undefined, error?: unknown): void {
  if (outcome === "appended") taken.pending.owner.onStored(taken.append.events);
  else lose(taken, error);
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
