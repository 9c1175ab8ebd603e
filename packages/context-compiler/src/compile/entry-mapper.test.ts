import fc from "fast-check";
import { expect, it } from "vitest";
import { EntryMapper, type EntryChanges } from "./entry-mapper.ts";
import type { ContextEntry } from "./working-context.ts";

const entryOf = (content: string): ContextEntry => ({
  message: { role: "user", content },
  eventIds: [content],
});
const shouted = new WeakMap<ContextEntry, ContextEntry>();
const changes: EntryChanges = {
  change(entry) {
    if (!String(entry.message.content).startsWith("x")) return entry;
    const next = shouted.get(entry) ?? entryOf(String(entry.message.content).toUpperCase());
    shouted.set(entry, next);
    return next;
  },
  join: (before, entry) =>
    String(entry.message.content).startsWith("j")
      ? entryOf(`${String(before.message.content)}+${String(entry.message.content)}`)
      : undefined,
};
const contentsOf = (entries: readonly ContextEntry[]): unknown[] =>
  entries.map(({ message }) => message.content);

it("gives what a mapper without a past gives, however the history changed", () => {
  const step = fc.record({
    keep: fc.nat({ max: 8 }),
    more: fc.array(fc.constantFrom("a", "b", "x", "j"), { maxLength: 5 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const mapper = new EntryMapper();
      let entries: ContextEntry[] = [];
      for (const { keep, more } of steps) {
        entries = [...entries.slice(0, entries.length - keep), ...more.map(entryOf)];
        const mapped = mapper.map(entries, changes);
        expect(contentsOf(mapped)).toEqual(contentsOf(new EntryMapper().map(entries, changes)));
        expect(mapper.unseen(entries)).toEqual([]);
      }
    }),
  );
});

it("gives the same array back when nothing changes, and the same objects for what was there before", () => {
  const mapper = new EntryMapper();
  const plain = ["a", "b"].map(entryOf);
  expect(mapper.map(plain, changes)).toBe(plain);
  const more = [...plain, entryOf("x"), entryOf("j")];
  const mapped = mapper.map(more, changes);
  const grown = mapper.map([...more, entryOf("b")], changes);
  expect(grown.slice(0, 3).every((entry, at) => entry === mapped[at])).toBe(true);
  expect(mapper.unseen([...more, entryOf("c")])).toHaveLength(1);
});
