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
  const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 2, maxLength: 14 });
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
    { numRuns: 12 },
  );
  expect(cuts).toBeGreaterThan(0);
});
