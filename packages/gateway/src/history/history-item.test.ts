import fc from "fast-check";
import { expect, it } from "vitest";

import type { PartKind } from "@ccl/core/tracing";
import { type HistoryItem, promptEnds } from "./history-item.ts";

const given: PartKind[] = ["tools", "system", "user", "result", "media"];
const written: PartKind[] = ["assistant", "reasoning", "call"];
const item = fc
  .constantFrom(...given, ...written)
  .map((kind): HistoryItem => ({ kind, text: kind }));

const kindsOf = (...kinds: PartKind[]): HistoryItem[] => kinds.map((kind) => ({ kind, text: "" }));

it("ends a prompt before each answer, and at the end of a history without a final answer", () => {
  expect(promptEnds([])).toEqual([]);
  expect(promptEnds(kindsOf("user", "reasoning", "call", "result", "assistant"))).toEqual([1, 4]);
  expect(promptEnds(kindsOf("system", "user", "call", "call", "result", "result"))).toEqual([2, 6]);
  expect(promptEnds(kindsOf("assistant", "user"))).toEqual([2]);
});

it("finds the same prompts whatever follows, and none that ends with model output", () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 20 }), (items) => {
      const ends = promptEnds(items);
      for (const [at, end] of ends.entries()) {
        expect(promptEnds(items.slice(0, end))).toEqual(ends.slice(0, at + 1));
        expect(written).not.toContain(items[end - 1]?.kind);
        expect([undefined, ...written]).toContain(items[end]?.kind);
      }
    }),
  );
});
