import { OperationsError } from "../operations-error.ts";
import type { StoreCall } from "../ports/store-call.ts";
import { throwIfAborted } from "../ports/throw-if-aborted.ts";
import type { Steps } from "./statement.ts";

/** One kind of write. */
export interface Batch<Request, Outcome> {
  /** Requests of one key are carried out one after the other. */
  keyOf(request: Request): string;
  /** Carries out requests of different keys; an error in the place of an outcome has written nothing. */
  steps(requests: readonly Request[]): Steps<(Outcome | OperationsError)[]>;
  /**
   * The same in fewer statements, each of them a transaction of its own, where the database can have several tables
   * written by one; undefined for each request of which nothing was done.
   */
  atOnce?(requests: readonly Request[]): Steps<(Outcome | undefined)[]>;
}

/** Carries out one request, together with those that wait at the same time. */
export type Write<Request, Outcome> = (request: Request, call?: StoreCall) => Promise<Outcome>;

/** Tries to carry out requests faster than in steps; undefined for each of which nothing was done. */
export type AtOnce<Request, Outcome> = (
  requests: readonly Request[],
) => Promise<(Outcome | undefined)[]>;

/** Runs steps in one transaction, or not at all. */
export type RunTransaction = <Value>(steps: () => Steps<Value>) => Promise<Value>;

/** Writes that share transactions: what comes up while one is under way goes together in the next. */
export interface GroupCommit {
  add<Request, Outcome>(
    batch: Batch<Request, Outcome>,
    atOnce?: AtOnce<Request, Outcome>,
  ): Write<Request, Outcome>;
  /** Resolves once nothing waits and nothing is under way. */
  idle(): Promise<void>;
}

/** Requests that were taken from their lane. */
interface Taken {
  /** False where the fast way was enough. */
  needsSteps(): Promise<boolean>;
  steps(): Steps<void>;
  settle(): void;
  reject(error: unknown): void;
  /** How many requests. */
  readonly size: number;
  /** Each request by itself, but for those that were carried out, which are settled. */
  split(): Taken[];
}

// What a transaction holds at most, so that none lasts long.
const maxRequests = 1_000;

/** Group commit over one database. */
export function createGroupCommit(runTransaction: RunTransaction): GroupCommit {
  const lanes: ((max: number) => Taken[])[] = [];
  let running: Promise<void> | undefined;
  const carryOut = async (taken: readonly Taken[]): Promise<void> => {
    try {
      const left: Taken[] = [];
      for (const requests of taken) if (await requests.needsSteps()) left.push(requests);
      const inSteps = function* (): Steps<void> {
        for (const requests of left) yield* requests.steps();
      };
      if (left.length > 0) await runTransaction(inSteps);
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
    add(batch, atOnce) {
      const wake = (): void => {
        running ??= work();
      };
      const lane = createLane(batch, { wake, atOnce });
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
  { wake, atOnce }: { wake: () => void; atOnce: AtOnce<Request, Outcome> | undefined },
): { write: Write<Request, Outcome>; take: (max: number) => Taken[] } {
  let waiting: Waiting<Request, Outcome>[] = [];
  const takenOf = (wave: readonly Waiting<Request, Outcome>[]): Taken => {
    let early: readonly (Outcome | undefined)[] = [];
    let outcomes: readonly (Outcome | OperationsError | undefined)[] = [];
    return {
      size: wave.length,
      async needsSteps() {
        if (atOnce === undefined) return true;
        early = await atOnce(wave.map(({ request }) => request));
        outcomes = early;
        return early.includes(undefined);
      },
      *steps() {
        const left = wave.filter((_, index) => early[index] === undefined);
        const late = yield* batch.steps(left.map(({ request }) => request));
        let next = 0;
        outcomes = wave.map((_, index) => early[index] ?? late[next++]);
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
      split: () =>
        wave.flatMap((one, index) => {
          const outcome = early[index];
          if (outcome === undefined) return [takenOf([one])];
          one.resolve(outcome);
          return [];
        }),
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
    throwIfAborted(call);
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
