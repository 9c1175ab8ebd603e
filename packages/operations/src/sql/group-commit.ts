import { throwIfAborted } from "@ccl/core/async";

import { OperationsError } from "../operations-error.ts";
import type { StoreCall } from "../ports/store-call.ts";
import type { Steps } from "./statement.ts";

/** One kind of write. */
export interface Batch<Request, Outcome> {
  /** Requests of one key are carried out one after the other. */
  keyOf(request: Request): string;
  /** Carries out requests of different keys; an error in the place of an outcome has written nothing. */
  steps(requests: readonly Request[]): Steps<(Outcome | OperationsError)[]>;
}

/** Carries out one request, together with those that wait at the same time. */
export type Write<Request, Outcome> = (request: Request, call?: StoreCall) => Promise<Outcome>;

/** Runs steps in one transaction, or not at all. */
export type RunTransaction = <Value>(steps: () => Steps<Value>) => Promise<Value>;

/** Writes that share transactions: what comes up while one is under way goes together in the next. */
export interface GroupCommit {
  add<Request, Outcome>(batch: Batch<Request, Outcome>): Write<Request, Outcome>;
  /** Resolves once nothing waits and nothing is under way. */
  idle(): Promise<void>;
}

/** Requests that were taken from their lane. */
interface Taken {
  steps(): Steps<void>;
  settle(): void;
  reject(error: unknown): void;
  /** How many requests. */
  readonly size: number;
  /** Each request by itself. */
  split(): Taken[];
}

// The limit of a transaction, so that none lasts long.
const maxRequests = 1_000;

/** Group commit over one database. */
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
      // One that can't be carried out must not take the others with it.
      const [first, ...others] = taken;
      if (others.length === 0 && first?.size === 1) first.reject(error);
      else
        for (const request of taken.flatMap((requests) => requests.split()))
          await carryOut([request]);
    }
  };
  const work = async (): Promise<void> => {
    // One turn of the microtask queue, so that what is asked for together is written together.
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

/** Splits items so that no key comes twice in a wave, and those of one key stay in order. */
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
