/** How many operations may run at a time, over all runs of an engine; what is absent is unlimited. */
export interface ConcurrencyLimits {
  global?: number | undefined;
  /** By `definition.kind`. */
  byKind?: Readonly<Record<string, number>> | undefined;
  /** By `params.providerRef`. */
  byProvider?: Readonly<Record<string, number>> | undefined;
}

/** Operations that the same limits hold for. */
export interface ConcurrencyClass {
  /** The counts, each with a limit, that each of them is part of. */
  readonly counters: readonly { readonly limit: number; used: number }[];
  /** By the place in the queue. */
  readonly waiting: Map<number, () => void>;
}

/** Lets operations begin, first come first served among those that no limit holds back. */
export interface ConcurrencyLimiter {
  classOf(kind: string, provider: string | undefined): ConcurrencyClass;
  /** Takes a place if one is free and nothing waits for it. */
  enter(of: ConcurrencyClass): boolean;
  /** Calls `begin` once it has taken a place; gives a function that takes the entry back. */
  wait(of: ConcurrencyClass, begin: () => void): () => void;
  /** One that has begun has ended. */
  release(of: ConcurrencyClass): void;
  /** Operations that run and that wait. */
  counts(): { running: number; waiting: number };
}

/** A limiter; limits below 1 count as 1, so that nothing can hang. */
export function createConcurrencyLimiter(limits: ConcurrencyLimits = {}): ConcurrencyLimiter {
  const counters = new Map<string, { limit: number; used: number }>();
  const byKind = new Map<string, Map<string | undefined, ConcurrencyClass>>();
  const classes: ConcurrencyClass[] = [];
  let running = 0;
  let waiting = 0;
  let places = 0;
  function counterOf(name: string, limit: number): { limit: number; used: number } {
    const counter = counters.get(name) ?? { limit: Math.max(1, limit), used: 0 };
    counters.set(name, counter);
    return counter;
  }
  const classOf = (kind: string, provider: string | undefined): ConcurrencyClass => {
    const ofKind = byKind.get(kind) ?? new Map<string | undefined, ConcurrencyClass>();
    byKind.set(kind, ofKind);
    const providerLimit = provider === undefined ? undefined : own(limits.byProvider, provider);
    const key = providerLimit === undefined ? undefined : provider;
    const known = ofKind.get(key);
    if (known !== undefined) return known;
    const held = limits.global === undefined ? [] : [counterOf("", limits.global)];
    const kindLimit = own(limits.byKind, kind);
    if (kindLimit !== undefined) held.push(counterOf(`kind ${kind}`, kindLimit));
    if (providerLimit !== undefined) held.push(counterOf(`provider ${provider}`, providerLimit));
    const created = { counters: held, waiting: new Map<number, () => void>() };
    ofKind.set(key, created);
    classes.push(created);
    return created;
  };
  const beginNext = (): void => {
    for (let next = nextClass(classes); next !== undefined; next = nextClass(classes)) {
      const [place, begin] = next.waiting.entries().next().value ?? [];
      if (place === undefined || begin === undefined) return;
      next.waiting.delete(place);
      waiting -= 1;
      take(next);
      running += 1;
      begin();
    }
  };
  return {
    classOf,
    enter(of) {
      const isFree = of.waiting.size === 0 && hasRoom(of);
      if (!isFree) return false;
      take(of);
      running += 1;
      return true;
    },
    wait(of, begin) {
      places += 1;
      const place = places;
      of.waiting.set(place, begin);
      waiting += 1;
      return () => {
        if (of.waiting.delete(place)) waiting -= 1;
      };
    },
    release(of) {
      for (const counter of of.counters) counter.used -= 1;
      running -= 1;
      if (waiting > 0) beginNext();
    },
    counts: () => ({ running, waiting }),
  };
}

function take({ counters }: ConcurrencyClass): void {
  for (const counter of counters) counter.used += 1;
}

function hasRoom({ counters }: ConcurrencyClass): boolean {
  for (const { used, limit } of counters) if (used >= limit) return false;
  return true;
}

/** The class whose first entry has waited longest among those with room. */
function nextClass(classes: readonly ConcurrencyClass[]): ConcurrencyClass | undefined {
  let best: { place: number; of: ConcurrencyClass } | undefined;
  for (const of of classes) {
    const place = of.waiting.keys().next().value;
    if (place === undefined || (best !== undefined && place > best.place) || !hasRoom(of)) continue;
    best = { place, of };
  }
  return best?.of;
}

function own(
  limits: Readonly<Record<string, number>> | undefined,
  name: string,
): number | undefined {
  return limits !== undefined && Object.hasOwn(limits, name) ? limits[name] : undefined;
}
