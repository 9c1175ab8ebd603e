import fc from "fast-check";
import { expect, it } from "vitest";

import { SortedKeys } from "./sorted-keys.ts";

it("lists what was set and not removed, in the order of the keys", () => {
  const key = fc.string({ maxLength: 2, unit: "grapheme-ascii" });
  const step = fc.record({
    key,
    value: fc.option(fc.nat(), { nil: undefined }),
    isListed: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), key, key, (steps, from, before) => {
      const [sorted, model] = [new SortedKeys<number>(), new Map<string, number>()];
      const all = (): [string, number][] =>
        [...model]
          .filter(([name]) => name >= from && name < before)
          .sort(([one], [other]) => (one < other ? -1 : 1));
      for (const { key: name, value, isListed } of steps) {
        sorted.set(name, value);
        if (value === undefined) model.delete(name);
        else model.set(name, value);
        expect(sorted.get(name)).toBe(value);
        const page = isListed ? sorted.list({ from, before, limit: 3 }) : [];
        expect(page).toEqual(isListed ? all().slice(0, 3) : []);
      }
      expect(sorted.list({ from, before, limit: 1_000 })).toEqual(all());
    }),
  );
});
