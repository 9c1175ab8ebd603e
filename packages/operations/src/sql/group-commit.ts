import { throwIfAborted } from "@ccl/core/async";

import { OperationsError } from "../operations-error.ts";
import type { StoreCall } from "../ports/store-call.ts";
import type { Steps } from "./statement.ts";

/** One kind of write. */
export interface Batch<Request, Outcome> {
  /** Requests with the same key are executed one after another. */
  keyOf(request: Request): string;
  /** Executes requests with different keys. If an outcome is an error, its request has written nothing. */
  steps(requests: readonly Request[]): Steps<(Outcome | OperationsError)[]>;
}

/** Executes one request, together with others that wait at the same time. */
export type Write<Request, Outcome> = (request: Request, call?: StoreCall) => Promise<Outcome>;

/** Runs steps in one transaction, as a whole or not at all. */
export type RunTransaction = <Value>(steps: () => Steps<Value>) => Promise<Value>;

/** Writes that share transactions. Writes that arrive during a transaction go into the next one together. */
export interface GroupCommit {
  add<Request, Outcome>(batch: Batch<Request, Outcome>): Write<Request, Outcome>;
  /** Resolves once nothing waits and nothing is in progress. */
  idle(): Promise<void>;
}

/** Requests that were taken from their queue. */
interface Taken {
  steps(): Steps<void>;
  settle(): void;
  reject(error: unknown): void;
  /** The number of requests. */
  readonly size: number;
  /** Splits it into single requests. */
  split(): Taken[];
}

// Limits the duration of a transaction.
const maxRequests = 1_000;

/** Creates group commit for one database. */
export function createGroupCommit(runTransaction: RunTransaction): GroupCommit {
  const lanes: ((max: number) => Taken[])[] = [];
  let running: Promise<void> | undefined;
  const carryOut = async (taken: readonly Taken[]): Promise<void> => {
    try {
      await runTransaction(function* (): Steps<void> {
        for (const requests of taken) yield* requests.steps();
      });
      for (const requests of taken) requests.settle();
    } catch (error) {
      // A request that fails must not fail the others, so each is executed alone.
      const [first, ...others] = taken;
      if (others.length === 0 && first?.size === 1) first.reject(error);
      else
        for (const request of taken.flatMap((requests) => requests.split()))
          await carryOut([request]);
    }
  };
  const work = async (): Promise<void> => {
    // Waits for one turn of the microtask queue, so that simultaneous requests are written together.
    await undefined;
    for (;;) {
      const taken = lanes.flatMap((take) => take(maxRequests));
      if (taken.length === 0) break;
      await carryOut(taken);
    }
    running = undefined;
  };
  return {
    add(batch) {
      const wake = (): void => {
        running ??= work();
      };
      const lane = createLane(batch, wake);
      lanes.push(lane.take);
      return lane.write;
    },
    async idle() {
      await running;
    },
  };
}

interface Waiting<Request, Outcome> {
  request: Request;
  call: StoreCall | undefined;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

function createLane<Request, Outcome>(
  batch: Batch<Request, Outcome>,
  wake: () => void,
): { write: Write<Request, Outcome>; take: (max: number) => Taken[] } {
  let waiting: Waiting<Request, Outcome>[] = [];
  const takenOf = (wave: readonly Waiting<Request, Outcome>[]): Taken => {
    let outcomes: readonly (Outcome | OperationsError)[] = [];
    return {
      size: wave.length,
      *steps() {
        outcomes = yield* batch.steps(wave.map(({ request }) => request));
      },
      settle() {
        for (const [index, { resolve, reject }] of wave.entries()) {
          const outcome = outcomes[index];
          if (outcome === undefined)
            reject(new OperationsError("store_failed", "The write has no outcome."));
          else if (OperationsError.isInstance(outcome)) reject(outcome);
          else resolve(outcome);
        }
      },
      reject(error) {
        for (const { reject } of wave) reject(error);
      },
      split: () => wave.map((one) => takenOf([one])),
    };
  };
  return {
    write: (request, call) =>
      new Promise((resolve, reject) => {
        waiting.push({ request, call, resolve, reject });
        wake();
      }),
    take(max) {
      const first = waiting.slice(0, max).filter(isWanted);
      waiting = waiting.slice(max);
      return wavesOf(first, ({ request }) => batch.keyOf(request)).map(takenOf);
    },
  };
}

function isWanted({
  call,
  reject,
}: {
  call: StoreCall | undefined;
  reject: (error: unknown) => void;
}): boolean {
  try {
    throwIfAborted(call?.signal, OperationsError);
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}

/** Splits items into waves. No key occurs twice in a wave, and items with the same key stay in order. */
function wavesOf<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const waves: Item[][] = [];
  const seen = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    const index = seen.get(key) ?? 0;
    seen.set(key, index + 1);
    const wave = waves[index];
    if (wave === undefined) waves.push([item]);
    else wave.push(item);
  }
  return waves;
}
