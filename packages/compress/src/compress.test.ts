import { estimatedCounter } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compress } from "./compress.ts";

const counter = estimatedCounter;
const wholeOf = (value: unknown): string => compress(JSON.stringify(value), { budget: 1e9 }).text;

describe("compress of JSON without loss", () => {
  it("writes scalars as pairs, identifiers first, and objects by their path", () => {
    const booking = {
      status: "paid",
      booking_id: "ZX81KQ",
      guest: { name: "Ada", address: { city: "Graz", zip: "8010" } },
      tags: ["late", "quiet"],
    };
    expect(wholeOf(booking)).toMatchInlineSnapshot(`
      "booking_id=ZX81KQ; tags=[late, quiet]; status=paid
      guest: name=Ada
      guest.address: city=Graz; zip="8010""
    `);
  });

  it("writes similar objects as one table, constant columns once, nested members by their path", () => {
    const rooms = [1, 2, 3].map((at) => ({
      room: `R-10${at}`,
      hotel: "Zum Hirsch",
      price: { night: 80 + at, week: 500 + at },
    }));
    expect(wholeOf({ rooms })).toMatchInlineSnapshot(`
      "rooms: 3 rows, all hotel=Zum Hirsch
      room|price.night|price.week
      R-101|81|501
      R-102|82|502
      R-103|83|503"
    `);
  });

  it("writes the keys of an object of similar objects as one column", () => {
    const cards = Object.fromEntries(
      ["card_81", "card_92"].map((id, at) => [id, { id, brand: `b${at}`, last_four: 1000 + at }]),
    );
    expect(wholeOf({ cards })).toMatchInlineSnapshot(`
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
    expect(wholeOf(trips)).toMatchInlineSnapshot(`
      "4 rows
      #|leg|seats
      1|L1a|1
      1|L1b|6
      2|L2a|2
      2|L2b|7"
    `);
  });

  it("preserves numbers that a double cannot represent", () => {
    const rows = ["1180000000000000123", "1180000000000000124"].map(
      (id) => `{"id":${id},"sum":12345678901234567.89}`,
    );
    expect(compress(`[${rows}]`, { budget: 1e9 }).text).toMatchInlineSnapshot(`
      "2 rows, all sum=12345678901234567.89
      id
      1180000000000000123
      1180000000000000124"
    `);
  });

  it("shows every number and word of any value, and stays within any limit", () => {
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
      fc.property(value, fc.integer({ min: 1, max: 200 }), (input, budget) => {
        const text = JSON.stringify([input, input]);
        const whole = compress(text, { budget: 1e9, counter });
        expect(whole.isLossless).toBe(true);
        for (const found of scalarsOf(input)) expect(whole.text).toContain(found);
        const short = compress(text, { budget, counter });
        expect(counter.count(short.text)).toBe(short.tokens);
        expect(short.tokens).toBeLessThanOrEqual(budget);
      }),
    );
  });

  it("accepts deeply nested values", () => {
    const deep = `${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`;
    expect(compress(deep, { budget: 100 }).tokens).toBeLessThanOrEqual(100);
  });
});

describe("compress of content beyond the budget", () => {
  const rows = Array.from({ length: 400 }, (_, at) => ({
    id: `inv-${1000 + at}`,
    customer: `c${(at * 7919) % 1000}`,
    state: at === 217 ? "disputed" : "paid",
    total: at === 301 ? 912_345 : 100 + ((at * 37) % 50),
  }));

  it("shows the rows that the question names and unusual ones, and counts the others", () => {
    const form = compress(JSON.stringify({ rows }), { budget: 300, query: "Who has inv-1093?" });
    expect(form).toMatchObject({ kind: "json", isLossless: false });
    expect(form.text).toMatch(/^rows: 400 rows \(\d+ shown\)\nrow\|id\|/);
    for (const needle of ["94|inv-1093|", "218|inv-1217|", "disputed", "912345"])
      expect(form.text).toContain(needle);
    expect(form.shown + form.omitted).toBe(402);
    expect(form.ranges.some(({ from, to }) => from <= 150 && to >= 150)).toBe(true);
  });

  it("shows every form of a log before a second line of any, each under its source", () => {
    const causes = Array.from("abcdefghijklmnopqrstuvwxyz", (one) => `${one}isk ${one}ull`);
    const lines = Array.from({ length: 2000 }, (_, at) => {
      const cause = at % 77 === 5 ? causes[Math.floor(at / 77)] : undefined;
      const said = cause ?? `served item ${at} in ${at % 90} ms`;
      const level = cause === undefined ? "INFO" : "ERROR";
      return `2026-03-01 10:${10 + (at % 50)}:00 ${level} [web-${at % 3}] Shop: ${said}`;
    });
    const { text } = compress(lines.join("\n"), { budget: 450 });
    for (const cause of causes) expect(text).toContain(`: ${cause}`);
    const sources = text.split("\n").filter((one) => one.startsWith("ERROR"));
    expect(sources).toEqual(["ERROR Shop:"]);
  });

  it("shows one line of each form of a log with its count, and errors with the lines around them", () => {
    const lines = Array.from(
      { length: 3_000 },
      (_, at) => `2026-03-01T10:00:${at % 60} INFO worker ${at % 9} took job ${at * 17}`,
    );
    lines.splice(
      1_234,
      0,
      "2026-03-01T10:00:01 ERROR worker 3 lost the volume vol-77",
      "    at mount (volume.ts:12)",
    );
    const form = compress(lines.join("\n"), { budget: 200 });
    expect(form.kind).toBe("log");
    expect(form.text).toMatch(
      /^\[\d+ of 3002 lines, with their numbers; xN: N lines like it\]\n1 x3000: 2026/,
    );
    expect(form.text).toContain(
      "1235: 2026-03-01T10:00:01 ERROR worker 3 lost the volume vol-77\n1236:     at mount",
    );
  });

  it("does not fill the room with lines that it has already counted", () => {
    const same = "ok\n".repeat(4_000);
    const { text } = compress(`${same}FAIL login: 500\n${same}`, {
      budget: 1_200,
      query: "why red?",
    });
    expect(text).toContain("x8000: ok\n");
    expect(text).toContain("\n4001: FAIL login: 500\n");
    expect(text.match(/: ok$/gm)?.length).toBeLessThan(20);
  });

  it("shows the requested hunk under its file", () => {
    const diff = Array.from(
      { length: 60 },
      (_, at) =>
        `diff --git a/src/f${at}.ts b/src/f${at}.ts\n--- a/src/f${at}.ts\n+++ b/src/f${at}.ts\n@@ -1,2 +1,3 @@ function f${at}()\n const a = ${at};\n+const added = ${at * 3};\n return a;`,
    ).join("\n");
    const form = compress(diff, { budget: 250, query: "What was added to src/f41.ts?" });
    expect(form.kind).toBe("diff");
    expect(form.text).toMatch(
      /diff --git a\/src\/f41\.ts.*\n(?:.*\n)*@@ -1,2 \+1,3 @@ function f41\(\)\n(?:.*\n)*\+const added = 123;/,
    );
    expect(form.text).toMatch(/\[\.\.\. lines \d+-\d+\]/);
  });

  it("finds the section that answers, under its heading", () => {
    const text = Array.from(
      { length: 90 },
      (_, at) => `## \`limit.${at}\`\n\nDefault: ${at * 31}. Unit: ms.\n`,
    ).join("\n");
    const form = compress(text, { budget: 150, query: "What is the default of limit.57?" });
    expect(form.kind).toBe("markdown");
    expect(form.text).toContain("## `limit.57`\n\nDefault: 1767.");
  });

  it("reads pages with the given reader", () => {
    const page =
      "<!doctype html><html><body><h1>Plans</h1><table><tr><td>Team</td><td>EUR 86.70</td></tr></table>";
    expect(compress(page, { budget: 100 })).toMatchObject({
      kind: "html",
      text: "# Plans\nTeam | EUR 86.70",
    });
    expect(compress(page, { budget: 100, readHtml: (html) => `${html.length}` }).text).toBe(
      String(page.length),
    );
  });

  it("stays within any budget for any text, and is deterministic", () => {
    const line = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.lorem(),
      fc.constantFrom("", "ERROR x", "{", "a,b", "\u001B[31mred"),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 60 }),
        fc.integer({ min: 0, max: 120 }),
        fc.lorem(),
        (lines, budget, query) => {
          const text = lines.join("\n");
          const form = compress(text, { budget, query, counter });
          expect(form.tokens).toBeLessThanOrEqual(budget);
          expect(counter.count(form.text)).toBe(form.tokens);
          expect(compress(text, { budget, query, counter })).toEqual(form);
        },
      ),
    );
  });
});

function scalarsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.values(value).flatMap(scalarsOf);
}
