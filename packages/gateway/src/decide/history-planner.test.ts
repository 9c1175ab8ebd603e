import { estimatedCounter } from "@ccl/core";
import fc from "fast-check";
import { expect, it } from "vitest";

import { defaultSizes } from "../audit/audit-transcript.ts";
import type { HistoryItem } from "../history/history-item.ts";
import { cachePriceOf } from "../price/cache-price.ts";
import { HistoryPlanner } from "./history-planner.ts";

const logOf = (seed: number, lines: number): string =>
  Array.from(
    { length: lines },
    (_, at) =>
      `10:00:${at % 60} INFO worker ${(at * seed) % 17} took ${(at * seed * 7919) % 9973} ms`,
  ).join("\n");

it("never costs more than without it, whenever a session ends, and does cut", () => {
  let cuts = 0;
  // Results that go out whole at first leave nothing to pay a cut from.
  const small = fc.integer({ min: 6, max: 14 });
  const large = fc.integer({ min: 30, max: 60 });
  const size = fc.oneof({ weight: 12, arbitrary: small }, { weight: 1, arbitrary: large });
  const sizes = fc.array(size, { minLength: 16, maxLength: 30 });
  fc.assert(
    fc.property(sizes, (lines) => {
      const price = cachePriceOf("claude-sonnet");
      const planner = new HistoryPlanner({
        mode: "full",
        counter: estimatedCounter,
        price,
        ...defaultSizes,
      });
      const items: HistoryItem[] = [
        { kind: "user", text: `Which one failed? ${"word ".repeat(900)}` },
      ];
      let saved = 0;
      for (const [at, count] of lines.entries()) {
        const callId = `c${at}`;
        items.push({ kind: "call", text: "{}", callId, tool: "logs" });
        items.push({ kind: "result", text: logOf(at + 2, count), callId, tool: "logs" });
        const { call } = planner.plan(items);
        saved += (call?.directPrice ?? 0) - (call?.price ?? 0);
        if (call?.cutFrom !== undefined) cuts += 1;
        expect(saved).toBeGreaterThan(-1e-6);
      }
    }),
    { numRuns: 12, seed: 7 },
  );
  expect(cuts).toBeGreaterThan(0);
});
