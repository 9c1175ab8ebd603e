import type { TokenCounter } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { selectUnits } from "./select-units.ts";
import type { Layout, Unit } from "./unit.ts";
import type { WeighedUnits } from "./weigh/weigh-units.ts";

const characters: TokenCounter = {
  name: "characters",
  isExact: true,
  count: (text) => text.length,
};
const line = (text: string, at: number): Unit => ({ text, from: at + 1, to: at + 1, weight: 0 });
const layoutOf = (units: Unit[], more: Partial<Layout> = {}): Layout => ({
  units,
  style: "numbered",
  noun: "rows",
  context: 0,
  hasForms: false,
  ...more,
});
const weighed = (weights: number[], more: Partial<WeighedUnits> = {}): WeighedUnits => ({
  weights: Float64Array.from(weights),
  query: { terms: [], coverage: 0 },
  counts: new Map(),
  ...more,
});

/** The expected selection: the best units are tried one more at a time, each with its heads. */
function bestThatFit(units: Unit[], weights: number[], budget: number): number[] {
  const order = units
    .map((_, at) => at)
    .filter((at) => (weights[at] ?? 0) > 0 && units[at]?.isHeader !== true)
    .sort((a, b) => (weights[b] ?? 0) - (weights[a] ?? 0) || a - b);
  let fitting: number[] = [];
  for (let count = 1; count <= order.length; count += 1) {
    const places = new Set<number>();
    for (const at of order.slice(0, count))
      for (let next: number | undefined = at; next !== undefined; next = units[next]?.head)
        places.add(next);
    const shown = [...places].sort((a, b) => a - b);
    const text = shown.map((at) => `${at + 1}: ${units[at]?.text}`).join("\n");
    if (text.length > budget) break;
    fitting = shown;
  }
  return fitting;
}

describe("selectUnits", () => {
  it("shows as many of the best units as fit, with their heads", () => {
    const unit = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.option(fc.nat(30)), fc.boolean());
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), fc.nat(200), (rows, budget) => {
        const units = rows.map(([, head, isHeader], at): Unit => {
          const isBelow = head !== null && head < at;
          return {
            ...line(`unit ${at}`, at),
            head: isBelow ? head : undefined,
            isHeader: isBelow ? undefined : isHeader || undefined,
          };
        });
        for (const each of units) if (each.isHeader === true) each.isHeader = undefined;
        const weights = rows.map(([weight]) => weight);
        const shown = selectUnits(layoutOf(units), weighed(weights), {
          budget,
          counter: characters,
        });
        expect(shown.places).toEqual(bestThatFit(units, weights, budget));
        expect(shown.tokens).toBe(shown.text.length);
      }),
    );
  });

  it("shows the names of columns only with a row, and no unit without weight", () => {
    const units = [
      { ...line("a: 1 rows", 0), members: 1 },
      { ...line("id", 0), isHeader: true, head: 0 },
      { ...line("r", 0), values: ["r"], head: 1 },
      line("s", 1),
      line("t", 2),
    ];
    const select = (weights: number[]): string =>
      selectUnits(layoutOf(units, { style: "table" }), weighed(weights), {
        budget: 1_000,
        counter: characters,
        title: "Found:",
      }).text;
    expect(select([0, 9, 1, 0, 0])).toBe(
      "Found:\na: 1 rows (1 shown)\nrow|id\n1|r\n[... 2 more rows]",
    );
    expect(select([0, 9, 0, 0, 1])).toBe("Found:\nt\n[... 2 more rows]");
  });

  it("finds the best of many more than fit", () => {
    const units = Array.from({ length: 3_000 }, (_, at) => line("x", at));
    const weights = units.map((_, at) => ((at * 7_919) % 3_001) + 1);
    for (const budget of [8, 30, 90]) {
      const { places } = selectUnits(layoutOf(units), weighed(weights), {
        budget,
        counter: characters,
      });
      expect(places).toEqual(bestThatFit(units, weights, budget));
      expect(places.length).toBeGreaterThan(0);
    }
  });
});

describe("long units", () => {
  const quarter: TokenCounter = { ...characters, count: (text) => Math.ceil(text.length / 4) };
  const select = (
    units: Unit[],
    weights: number[],
    {
      layout,
      more,
      budget = 1_000,
    }: { layout?: Partial<Layout>; more?: Partial<WeighedUnits>; budget?: number } = {},
  ): string[] =>
    selectUnits(layoutOf(units, layout), weighed(weights, more), {
      budget,
      counter: quarter,
    }).text.split("\n");
  const long = (at: number): Unit => line("word ".repeat(600), at);
  const twelve = Array.from({ length: 12 }, (_, at) => long(at));
  const lengths = (lines: string[]): number[] =>
    lines.map(({ length }) => Math.round(length / 50) * 50);

  it("share the room, and the few with a far higher weight get three times as much", () => {
    const weights = (...best: number[]): number[] => [...best, ...Array(12).fill(1)].slice(0, 12);
    const few = lengths(select(twelve, weights(10, 7)));
    expect(few.slice(0, 3)).toEqual([750, 750, 250]);
    expect(lengths(select(twelve, weights(10, 5))).slice(0, 3)).toEqual([750, 250, 250]);
    expect(new Set(lengths(select(twelve, weights(10, 10, 10))))).toEqual(new Set([250]));
    expect(few.length).toBeGreaterThan(10);
  });

  it("are shorter if many forms have to be shown, down to 70 characters", () => {
    const forty = Array.from({ length: 90 }, (_, at) => long(at));
    const counts = (size: number): Partial<WeighedUnits> => ({
      counts: new Map(Array.from({ length: size }, (_, at) => [at, 1])),
    });
    const first = (size: number, budget: number): number =>
      lengths(
        select(forty, Array(90).fill(1), {
          layout: { hasForms: true },
          more: counts(size),
          budget,
        }),
      )[0] ?? 0;
    expect([first(30, 1_000), first(0, 1_000), first(90, 2_000)]).toEqual([100, 250, 100]);
    expect(first(60, 400)).toBe(100);
  });

  it("keep the location, and the part that matches the question or reports an error", () => {
    const place = "src/store/open-store.ts:12:5: ";
    const text = `${place}${"word ".repeat(400)}the needle ${"word ".repeat(400)}`;
    const terms = [{ text: "needle", isExact: false, worth: 1 }];
    const units = [line(text, 0), ...twelve.slice(1)];
    const [asked = ""] = select(units, Array(12).fill(1), {
      more: { query: { terms, coverage: 1 } },
    });
    expect(asked).toContain(`1: ${place}`);
    expect(asked).toContain("needle");
    const failed = line(text.replace("the needle", "TypeError: x is undefined"), 0);
    expect(select([failed, ...twelve.slice(1)], Array(12).fill(1))[0]).toContain("TypeError: x");
    expect(asked.length).toBeLessThan(290);
  });

  it("stay whole if a mark would save almost nothing", () => {
    const units = [line("x".repeat(262), 0), line("y".repeat(263), 1), ...twelve.slice(2)];
    const [whole = "", cut = ""] = select(units, Array(12).fill(1));
    expect([whole.includes("[...]"), cut.includes("[...]")]).toEqual([false, true]);
  });

  it("give long cells the room that short ones leave", () => {
    const row = (cells: string[], at: number): Unit => ({ ...line(cells.join("|"), at), cells });
    const rows = twelve.map((_, at) => row(["id-7", "a".repeat(600), "open", "b".repeat(600)], at));
    const [first = ""] = select(rows, Array(12).fill(1));
    const [id, one = "", state, other = ""] = first.replace("1: ", "").split("|");
    expect([id, state]).toEqual(["id-7", "open"]);
    expect([one.length, other.length]).toEqual([126, 126]);
    const many = [row(Array<string>(40).fill("c".repeat(100)), 0), ...twelve.slice(1)];
    const cells = select(many, Array(12).fill(1))[0]?.split("|") ?? [];
    expect(cells.map(({ length }) => length).slice(1)).toEqual(Array(39).fill(29));
  });

  it("lose their time if one line of each form would not fit with it", () => {
    const units = Array.from({ length: 4 }, (_, at) =>
      line(`10:00:0${at} job number ${at} of four`, at),
    );
    const layout = {
      briefOf: (text: string) => text.slice(9),
      hasForms: true,
      noun: "lines" as const,
    };
    const more = {
      counts: new Map([
        [0, 1],
        [1, 1],
        [2, 1],
        [3, 1],
      ]),
    };
    const brief = select(units, [1, 1, 1, 1], { layout, more, budget: 57 });
    expect(brief[0]).toContain("without what leads them");
    expect(brief[1]).toBe("1: job number 0 of four");
    expect(select(units, [1, 1, 1, 1], { layout, more, budget: 58 })[1]).toBe(
      "1: 10:00:00 job number 0 of four",
    );
    expect(select(units, [1, 1, 1, 1], { layout, budget: 1_000 })[1]).toBe(
      "1: job number 0 of four",
    );
  });
});
