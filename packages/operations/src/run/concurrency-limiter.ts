/** How many operations may run concurrently, over all runs of an engine. What is absent is unlimited. */
export interface ConcurrencyLimits {
  global?: number | undefined;
  /** By `definition.kind`. */
  byKind?: Readonly<Record<string, number>> | undefined;
  /** By `params.providerRef`. */
  byProvider?: Readonly<Record<string, number>> | undefined;
}

/** How much of a limit is in use. */
interface Counter {
  readonly limit: number;
  used: number;
}

/** The limits that apply to an operation. While it runs, it counts towards each of them. */
export type ConcurrencyClass = readonly Counter[];

/** Lets operations begin, in the order of arrival among those whose limits allow it. */
export interface ConcurrencyLimiter {
  classOf(kind: string, provider: string | undefined): ConcurrencyClass;
  /** Takes a slot if one is free. */
  enter(of: ConcurrencyClass): boolean;
  /** Calls `begin` once it has taken a slot. Returns a function that cancels the wait. */
  wait(of: ConcurrencyClass, begin: () => void): () => void;
  /** Releases the slot of an operation that has ended. */
  release(of: ConcurrencyClass): void;
  /** How many operations are running and waiting. */
  counts(): { running: number; waiting: number };
}

const isFull = ({ used, limit }: Counter): boolean => used >= limit;

/** Creates a limiter. Limits below 1 count as 1, so that nothing can hang. */
export function createConcurrencyLimiter(limits: ConcurrencyLimits = {}): ConcurrencyLimiter {
  const { byKind = {}, byProvider = {} } = limits;
  const counterOf = (limit: number): Counter => ({ limit: Math.max(1, limit), used: 0 });
  const countersOf = (of: Readonly<Record<string, number>>): Map<string, Counter> =>
    new Map(Object.entries(of).map(([name, limit]) => [name, counterOf(limit)]));
  const ofAll = limits.global === undefined ? undefined : counterOf(limits.global);
  const [ofKinds, ofProviders] = [countersOf(byKind), countersOf(byProvider)];
  // A limit blocks each of these, since every other operation has begun.
  const waiting = new Set<{ of: ConcurrencyClass; begin: () => void }>();
  let running = 0;
  const enter = (of: ConcurrencyClass): boolean => {
    if (of.some(isFull)) return false;
    for (const counter of of) counter.used += 1;
    running += 1;
    return true;
  };
  return {
    classOf(kind, provider) {
      const ofProvider = provider === undefined ? undefined : ofProviders.get(provider);
      return [ofAll, ofKinds.get(kind), ofProvider].filter((counter) => counter !== undefined);
    },
    enter,
    wait(of, begin) {
      const entry = { of, begin };
      waiting.add(entry);
      return () => void waiting.delete(entry);
    },
    release(of) {
      for (const counter of of) counter.used -= 1;
      running -= 1;
      const begun: (() => void)[] = [];
      for (const entry of waiting) {
        if (of.every(isFull)) break;
        if (!enter(entry.of)) continue;
        waiting.delete(entry);
        begun.push(entry.begin);
      }
      for (const begin of begun) begin();
    },
    counts: () => ({ running, waiting: waiting.size }),
  };
}
