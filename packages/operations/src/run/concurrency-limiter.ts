/** How many operations may run at a time, over all runs of an engine; what is absent is unlimited. */
export interface ConcurrencyLimits {
  global?: number | undefined;
  /** By `definition.kind`. */
  byKind?: Readonly<Record<string, number>> | undefined;
  /** By `params.providerRef`. */
  byProvider?: Readonly<Record<string, number>> | undefined;
}

/** How much of a limit is used. */
interface Counter {
  readonly limit: number;
  used: number;
}

/** The limits that an operation is under; each of them counts it while it runs. */
export type ConcurrencyClass = readonly Counter[];

/** Lets operations begin, first come first served among those that no limit holds back. */
export interface ConcurrencyLimiter {
  classOf(kind: string, provider: string | undefined): ConcurrencyClass;
  /** Takes a place if one is free. */
  enter(of: ConcurrencyClass): boolean;
  /** Calls `begin` once it has taken a place; gives a function that takes the entry back. */
  wait(of: ConcurrencyClass, begin: () => void): () => void;
  /** One that has begun has ended. */
  release(of: ConcurrencyClass): void;
  /** Operations that run and that wait. */
  counts(): { running: number; waiting: number };
}

const isFull = ({ used, limit }: Counter): boolean => used >= limit;

/** A limiter; limits below 1 count as 1, so that nothing can hang. */
export function createConcurrencyLimiter(limits: ConcurrencyLimits = {}): ConcurrencyLimiter {
  const { byKind = {}, byProvider = {} } = limits;
  const counterOf = (limit: number): Counter => ({ limit: Math.max(1, limit), used: 0 });
  const countersOf = (of: Readonly<Record<string, number>>): Map<string, Counter> =>
    new Map(Object.entries(of).map(([name, limit]) => [name, counterOf(limit)]));
  const ofAll = limits.global === undefined ? undefined : counterOf(limits.global);
  const [ofKinds, ofProviders] = [countersOf(byKind), countersOf(byProvider)];
  // Each of them is held back by a limit, since all that none holds back have begun.
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
