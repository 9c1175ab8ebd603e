import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { renderUnits } from "./render-units.ts";
import { type Layout, listUnits, type Unit } from "./unit.ts";

const base = { context: 0, hasForms: false };
const lines = (texts: readonly string[]): Unit[] =>
  texts.map((text, at) => ({ text, from: at + 1, to: at + 1, weight: 0 }));
const show = (
  places: readonly number[],
  layout: Layout,
  counts: ReadonlyMap<number, number> = new Map(),
): string[] =>
  renderUnits(places, layout, {
    textOf: (at) => layout.units.at(at)?.text ?? "",
    counts,
    isBrief: false,
  }).split("\n");

/** Units of one to three lines each, some of them blank, and whether each is shown. */
const rows = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.boolean(), fc.boolean()), { minLength: 1 })
  .map((given) => {
    let next = 1;
    return given.map(([size, isShown, isBlank]): { unit: Unit; isShown: boolean } => {
      const [from, to] = [next, next + size - 1];
      next += size;
      return { unit: { text: isBlank ? " " : `text ${from}`, from, to, weight: 0 }, isShown };
    });
  });

describe("lines with marks for omissions", () => {
  it("account for each line once and in order", () => {
    fc.assert(
      fc.property(rows, (given) => {
        const expected: string[] = [];
        let left: Unit[] = [];
        const leave = (isEnd: boolean): void => {
          const [from, to] = [left[0]?.from ?? 0, left.at(-1)?.to ?? 0];
          const isBlank = !isEnd && left.every(({ text }) => text === " ");
          const gap = from === to ? `[... line ${from}]` : `[... lines ${from}-${to}]`;
          if (left.length > 0) expected.push(isBlank ? "" : gap);
          left = [];
        };
        for (const { unit, isShown } of given) {
          if (isShown) {
            leave(false);
            expected.push(unit.text);
          } else left.push(unit);
        }
        leave(true);
        const places = given.flatMap(({ isShown }, at) => (isShown ? [at] : []));
        const units = given.map(({ unit }) => unit);
        expect(show(places, { ...base, units, style: "gaps", noun: "lines" })).toEqual(expected);
      }),
    );
  });

  it("name one line or several, and leave blank lines blank", () => {
    const units = lines(["a", "b", "c", "", " ", "d", "e", "f"]);
    const layout: Layout = { ...base, units, style: "gaps", noun: "lines" };
    expect(show([0, 2, 5], layout)).toEqual(["a", "[... line 2]", "c", "", "d", "[... lines 7-8]"]);
    expect(show([1, 6], { ...layout, noun: "rows" })).toEqual([
      "[... row 1]",
      "b",
      "[... rows 3-6]",
      "e",
      "[... row 8]",
    ]);
    expect(show([0, 1, 2, 5, 6, 7], layout)).toEqual(["a", "b", "c", "", "d", "e", "f"]);
  });
});

describe("lines with their numbers", () => {
  const layout: Layout = {
    ...base,
    units: lines(["a", "b", "c", "d"]),
    style: "numbered",
    noun: "lines",
  };

  it("give their number, and how many lines each represents", () => {
    const counts = new Map([
      [1, 1],
      [3, 2],
    ]);
    expect(show([1, 3], layout, counts)).toEqual([
      "[2 of 4 lines, with their numbers]",
      "2: b",
      "4 x2: d",
    ]);
    const forms = { ...layout, hasForms: true };
    expect(show([3], forms, counts)).toEqual([
      "[1 of 4 lines, with their numbers; xN: N lines like it]",
      "4 x2: d",
    ]);
  });

  it("state that times are left out, unless there is a title", () => {
    const rendering = { textOf: () => "x", counts: new Map<number, number>(), isBrief: true };
    const first = (given: Layout, title?: string): string | undefined =>
      renderUnits([0], given, { ...rendering, title }).split("\n")[0];
    expect(first({ ...layout, hasForms: true })).toContain("like it; without what leads them]");
    expect(first(layout)).toBe("[1 of 4 lines, with their numbers]");
    expect(first(layout, "[Found:]")).toBe("[Found:]");
    expect(first(layout, "")).toBe("1: x");
    expect(first({ ...layout, noun: "rows" })).toBe("1: x");
  });
});

describe("tables", () => {
  const row = (text: string, number: number, head: number): Unit => ({
    text,
    values: [text],
    cells: [text],
    from: number,
    to: number,
    head,
    weight: 0,
  });
  const unnamed = { from: 1, to: 1, weight: 0 };
  const units: Unit[] = [
    { ...unnamed, text: "lead" },
    { ...unnamed, text: "a: 3 rows", members: 3, from: 2, to: 2 },
    { ...unnamed, text: "id", isHeader: true, head: 1, from: 2, to: 2 },
    ...["r", "s", "t"].map((text, at) => row(text, at + 2, 2)),
    { ...unnamed, text: "b: 2 rows", members: 2, from: 5, to: 5 },
    { ...unnamed, text: "no", isHeader: true, head: 6, from: 5, to: 5 },
    ...["u", "v"].map((text, at) => row(text, at + 5, 7)),
    { ...unnamed, text: "tail", from: 7, to: 7 },
  ];
  const layout: Layout = { ...base, units, style: "table", noun: "rows" };

  it("give the number of shown rows under their names, and number each row", () => {
    expect(show([0, 1, 2, 3, 5, 6, 7, 9, 10], layout)).toEqual([
      "lead",
      "a: 3 rows (2 shown)",
      "row|id",
      "2|r",
      "4|t",
      "b: 2 rows (1 shown)",
      "row|no",
      "6|v",
      "tail",
    ]);
  });

  it("count the lines and the rows of tables that no shown line covers", () => {
    expect(show([1], layout)).toEqual(["a: 3 rows (0 shown)", "[... 4 more rows]"]);
    expect(show([0, 1, 6], layout).at(-1)).toBe("[... 1 more row]");
    expect(show([0], layout)).toEqual(["lead", "[... 6 more rows]"]);
    expect(
      show(
        listUnits(units).map((_, at) => at),
        layout,
      ).at(-1),
    ).toBe("tail");
  });
});
