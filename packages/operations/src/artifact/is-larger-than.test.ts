import fc from "fast-check";
import { expect, it } from "vitest";

import { isLargerThan } from "./is-larger-than.ts";

it("refuses nothing that JSON writes within the limit", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.date({ noInvalidDate: true }), (value, date) => {
      const all = { value, date, none: undefined, list: [undefined] };
      expect(isLargerThan(all, JSON.stringify(all).length)).toBe(false);
    }),
  );
});

it("counts all but the ends of empty ones, and looks no further than it has to", () => {
  const values = [[1, 22, -3.5, true, false, null], { a: [], b: {}, c: "text" }, [[["x"]]]];
  for (const value of values) {
    const { length } = JSON.stringify(value);
    expect([isLargerThan(value, length), isLargerThan(value, length - 3)]).toEqual([false, true]);
  }
  const rows = Array.from({ length: 1_000 }, (_, id) => ({ id }));
  let read = 0;
  const watched = new Proxy(rows, {
    get: (target, key) => ((read += 1), Reflect.get(target, key)),
  });
  expect(isLargerThan(watched, 100)).toBe(true);
  expect(read).toBeLessThan(40);
});
