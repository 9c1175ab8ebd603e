import { estimatedCounter } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compactJson } from "./compact-json.ts";

const counter = estimatedCounter;
const formOf = (value: unknown, maxTokens?: number): string | undefined =>
  compactJson(JSON.stringify(value), { counter, maxTokens })?.text;

describe("compactJson", () => {
  it("writes scalars as pairs, identifiers first, and objects by their path", () => {
    const booking = {
      status: "paid",
      booking_id: "ZX81KQ",
      guest: { name: "Ada", address: { city: "Graz", zip: "8010" } },
      tags: ["late", "quiet"],
    };
    expect(formOf(booking)).toMatchInlineSnapshot(`
      "booking_id=ZX81KQ; tags=[late, quiet]; status=paid
      guest: name=Ada
      guest.address: city=Graz; zip=8010"
    `);
  });

  it("writes like objects as one table, equal columns once, nested members by their path", () => {
    const rooms = [1, 2, 3].map((at) => ({
      room: `R-10${at}`,
      hotel: "Zum Hirsch",
      price: { night: 80 + at, week: 500 + at },
    }));
    expect(formOf({ rooms })).toMatchInlineSnapshot(`
      "rooms: 3 rows, all hotel=Zum Hirsch
      room|price.night|price.week
      R-101|81|501
      R-102|82|502
      R-103|83|503"
    `);
  });

  it("takes the keys of an object of like objects as a column, once", () => {
    const cards = Object.fromEntries(
      ["card_81", "card_92"].map((id, at) => [id, { id, brand: `b${at}`, last_four: 1000 + at }]),
    );
    expect(formOf({ cards })).toMatchInlineSnapshot(`
      "cards: 2 rows
      id|brand|last_four
      card_81|b0|1000
      card_92|b1|1001"
    `);
  });

  it("numbers the groups of lists of lists", () => {
    const trips = [1, 2].map((at) => [
      { leg: `L${at}a`, seats: at },
      { leg: `L${at}b`, seats: at + 5 },
    ]);
    expect(formOf(trips)).toMatchInlineSnapshot(`
      "4 rows
      #|leg|seats
      1|L1a|1
      1|L1b|6
      2|L2a|2
      2|L2b|7"
    `);
  });

  it("under a limit shortens values first, then leaves rows out and keeps their identifiers", () => {
    const rows = Array.from({ length: 40 }, (_, at) => ({
      item_id: `IT-${4000 + at}`,
      text: "Some long words. ".repeat(9),
      price: at / 4,
    }));
    const form = compactJson(JSON.stringify(rows), { counter, maxTokens: 300 });
    expect(form?.isComplete).toBe(false);
    expect(form?.text).toMatch(/^40 rows \(1 columns left out\)\nitem_id\|price\nIT-4000\|0\n/);
    expect(form?.text).toContain("more rows: ");
    expect(form?.text).toContain("IT-4039");
  });

  it.each(["plain text", "42", '"text"', "[1, 2", "", "[File: a.py (94 lines total)]"])(
    "gives nothing for %j",
    (text) => {
      expect(compactJson(text, { counter })).toBeUndefined();
    },
  );

  it("writes numbers that a double does not hold as they came", () => {
    const rows = ["1180000000000000123", "1180000000000000124"].map(
      (id) => `{"id":${id},"sum":12345678901234567.89}`,
    );
    expect(compactJson(`[${rows}]`, { counter })?.text).toMatchInlineSnapshot(`
      "2 rows, all sum=12345678901234567.89
      id
      1180000000000000123
      1180000000000000124"
    `);
  });

  it("makes no table of rows that share few of their columns", () => {
    const events = Array.from({ length: 12 }, (_, at) => ({ [`on_${at}`]: at, [`by_${at}`]: at }));
    expect(formOf(events)).toMatch(/^\[0\]: on_0=0; by_0=0\n\[1\]: on_1=1; by_1=1\n/);
  });

  it("takes values that nest deeply", () => {
    const deep = `${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`;
    expect(() => compactJson(deep, { counter, maxTokens: 100 })).not.toThrow();
  });

  it("shows every number and word of any value, and keeps any limit", () => {
    const scalar = fc.oneof(fc.integer(), fc.stringMatching(/^[a-z][a-z0-9_-]{2,12}$/));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        scalar,
        fc.array(tie("value"), { maxLength: 5 }),
        fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), tie("value"), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.integer({ min: 20, max: 200 }), (input, maxTokens) => {
        const text = JSON.stringify([input, input]);
        const whole = compactJson(text, { counter })?.text ?? "";
        for (const found of scalarsOf(input)) expect(whole).toContain(found);
        const short = compactJson(text, { counter, maxTokens })?.text ?? "";
        expect(counter.count(short)).toBeLessThanOrEqual(maxTokens);
      }),
    );
  });
});

function scalarsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.values(value).flatMap(scalarsOf);
}
