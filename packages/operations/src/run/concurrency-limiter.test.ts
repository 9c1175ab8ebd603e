import fc from "fast-check";
import { expect, it } from "vitest";

import { createConcurrencyLimiter } from "./concurrency-limiter.ts";

const kinds = ["llm", "tool", "rag"];
const providers = [undefined, "a", "b"];
const limit = fc.integer({ min: -1, max: 3 });
const limits = fc.record(
  {
    global: fc.integer({ min: 0, max: 4 }),
    byKind: fc.dictionary(fc.constantFrom(...kinds), limit),
    byProvider: fc.dictionary(fc.constantFrom("a", "b"), limit),
  },
  { requiredKeys: [] },
);
const step = fc.record({
  kind: fc.constantFrom(...kinds),
  provider: fc.constantFrom(...providers),
  does: fc.constantFrom("begin", "begin", "end", "give up"),
  which: fc.nat(),
});

interface Entry {
  kind: string;
  provider: string | undefined;
}

it("lets no more begin than each limit has room for, the first first, and lets all begin in the end", () => {
  fc.assert(
    fc.property(limits, fc.array(step, { maxLength: 40 }), (given, steps) => {
      const limiter = createConcurrencyLimiter(given);
      const running: Entry[] = [];
      const waiting = new Map<Entry, () => void>();
      const isFull = ({ kind, provider = "" }: Entry): boolean => {
        const counts: [number | undefined, number][] = [
          [given.global, running.length],
          [given.byKind?.[kind], running.filter((one) => one.kind === kind).length],
          [given.byProvider?.[provider], running.filter((one) => one.provider === provider).length],
        ];
        return counts.some(([max, count]) => max !== undefined && count >= Math.max(1, max));
      };
      const begin = (entry: Entry): void => {
        expect(isFull(entry)).toBe(false);
        // Those that came before it are held back by a limit.
        const before = [...waiting.keys()].slice(0, [...waiting.keys()].indexOf(entry));
        const overtaken = waiting.delete(entry) ? before.filter((one) => !isFull(one)) : [];
        expect(overtaken).toEqual([]);
        running.push(entry);
      };
      const end = (which: number): void => {
        const [ended] = running.splice(which % Math.max(1, running.length), 1);
        if (ended !== undefined) limiter.release(limiter.classOf(ended.kind, ended.provider));
      };
      const ask = (entry: Entry): void => {
        const of = limiter.classOf(entry.kind, entry.provider);
        const mayBegin = !isFull(entry);
        expect(limiter.enter(of)).toBe(mayBegin);
        if (mayBegin) begin(entry);
        else {
          const giveUp = limiter.wait(of, () => begin(entry));
          waiting.set(entry, giveUp);
        }
      };
      for (const { kind, provider, does, which } of steps) {
        const entry = { kind, provider };
        if (does === "end") end(which);
        else if (does === "give up") {
          const [gone, giveUp] = [...waiting][which % Math.max(1, waiting.size)] ?? [];
          giveUp?.();
          giveUp?.();
          if (gone !== undefined) waiting.delete(gone);
        } else ask(entry);
        expect(limiter.counts()).toEqual({ running: running.length, waiting: waiting.size });
      }
      while (running.length > 0) end(0);
      expect(waiting.size).toBe(0);
      expect(limiter.counts()).toEqual({ running: 0, waiting: 0 });
    }),
  );
});

it("takes the names of an object's own members for no limit", () => {
  const limiter = createConcurrencyLimiter({ byKind: {}, byProvider: {} });
  const of = limiter.classOf("constructor", "toString");
  expect([1, 2, 3].map(() => limiter.enter(of))).toEqual([true, true, true]);
});
