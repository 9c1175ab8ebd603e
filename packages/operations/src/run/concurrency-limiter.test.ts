import fc from "fast-check";
import { expect, it } from "vitest";

import { createConcurrencyLimiter } from "./concurrency-limiter.ts";

const step = fc.record({
  does: fc.constantFrom("begin", "begin", "end", "give up"),
  which: fc.nat(),
});

it("lets no more begin than the limit has room for, the first first, and lets all begin in the end", () => {
  fc.assert(
    fc.property(
      fc.option(fc.integer({ min: -1, max: 4 }), { nil: undefined }),
      fc.array(step, { maxLength: 40 }),
      (limit, steps) => {
        const limiter = createConcurrencyLimiter(limit);
        const max = Math.max(1, limit ?? Infinity);
        let running = 0;
        let wrong = 0;
        const waiting = new Map<number, () => void>();
        const begin = (entry: number): void => {
          const [first = entry] = waiting.keys();
          if (running >= max || (waiting.has(entry) && first !== entry)) wrong += 1;
          waiting.delete(entry);
          running += 1;
        };
        const end = (): void => {
          if (running === 0) return;
          running -= 1;
          limiter.release();
        };
        for (const [entry, { does, which }] of steps.entries()) {
          if (does === "end") end();
          else if (does === "give up") {
            const [gone, giveUp] = [...waiting][which % Math.max(1, waiting.size)] ?? [];
            giveUp?.();
            giveUp?.();
            if (gone !== undefined) waiting.delete(gone);
          } else {
            const mayBegin = limiter.enter();
            if (mayBegin !== running < max) wrong += 1;
            if (mayBegin) begin(entry);
            else
              waiting.set(
                entry,
                limiter.wait(() => begin(entry)),
              );
          }
          expect(limiter.counts()).toEqual({ running, waiting: waiting.size });
        }
        for (const _ of steps) end();
        expect(limiter.counts()).toEqual({ running: 0, waiting: 0 });
        expect([waiting.size, wrong]).toEqual([0, 0]);
      },
    ),
  );
});
