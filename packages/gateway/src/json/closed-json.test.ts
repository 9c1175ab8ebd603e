import fc from "fast-check";
import { expect, it } from "vitest";

import { closedJson } from "./closed-json.ts";

it("keeps what is complete before the last comma", () => {
  const text = '{"a":[{"b":"x, \\"}{"},{"c":[1,2],"d":"ope';
  expect(JSON.parse(closedJson(text))).toEqual({ a: [{ b: 'x, "}{' }, { c: [1, 2] }] });
  expect(closedJson('{"a":"b')).toBe("");
  expect(closedJson('{"a":1,"b":"\\')).toBe('{"a":1}');
});

it("gives valid JSON of any beginning, with values of the whole", () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { minLength: 1 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (values, share) => {
        const text = JSON.stringify(values);
        const closed = closedJson(text.slice(0, Math.floor(text.length * share)));
        if (closed === "") return;
        const found: unknown[] = JSON.parse(closed);
        // The last one may be incomplete.
        const whole = found.slice(0, -1);
        expect(whole).toEqual(JSON.parse(JSON.stringify(values.slice(0, whole.length))));
      },
    ),
  );
});
