import { isSameJson } from "@ccl/core/json";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createHiddenNames } from "./hidden-names.ts";

const word = fc.constantFrom(
  "pay",
  "Pay rate",
  "note",
  "a.b",
  "x+",
  "$cost",
  "größe",
  "id",
  "rate",
);
const gap = fc.constantFrom(" ", ", ", "\n", "(", ") = ");
const prose = fc
  .array(fc.tuple(word, gap), { maxLength: 8 })
  .map((parts) => `say ${parts.flat().join("")} well`);
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    prose,
    fc.constantFrom<unknown>(1, true, null),
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(word, tie("node"), { maxKeys: 3 }),
  ),
})).node;

describe("hidden names", () => {
  it("are removed from every text and value, and everything else is kept", () => {
    fc.assert(
      fc.property(
        fc.subarray(["pay", "note", "a.b", "x+", "größe"]),
        prose,
        value,
        (names, text, given) => {
          const hidden = createHiddenNames(names);
          expect(hidden.isEmpty).toBe(names.length === 0);
          const shown = hidden.maskIn(text);
          for (const name of names) expect(shown.toLowerCase()).not.toContain(name);
          expect(hidden.isNamedIn(text)).toBe(shown !== text);
          expect(hidden.isNamedIn(shown)).toBe(false);
          const left = JSON.stringify(hidden.removeFrom(given)) ?? "";
          for (const name of names) expect(left.toLowerCase()).not.toContain(name);
          expect(names.length === 0 ? hidden.removeFrom(given) : given).toEqual(given);
        },
      ),
    );
  });

  it.each([
    ["pay", "Pay per hour", "[hidden] per hour"],
    ["pay", "payday, prepay, pay_day, pay2", "payday, prepay, pay_day, pay2"],
    ["pay", "a.pay-b (pay)", "a.[hidden]-b ([hidden])"],
    ["größe", "größere Größe", "größere [hidden]"],
    ["a.b", "a.b and acb", "[hidden] and acb"],
  ])("hide %s in %j only as a whole word", (name, text, shown) => {
    const hidden = createHiddenNames([name]);
    expect(hidden.maskIn(text)).toBe(shown);
    expect(hidden.isNamedIn(text)).toBe(text !== shown);
  });

  it("are masked whole if one begins with another, and ignored if blank", () => {
    expect(createHiddenNames(["pay", "pay rate"]).maskIn("by pay rate")).toBe("by [hidden]");
    expect(createHiddenNames(["", " "])).toMatchObject({ isEmpty: true });
    expect(createHiddenNames([" "]).maskIn("a b")).toBe("a b");
  });

  it("remove the members, entries and texts that contain them, and keep the neighbours", () => {
    const { removeFrom } = createHiddenNames(["pay"]);
    expect(removeFrom("by pay")).toBeUndefined();
    expect(removeFrom({ pay: 1, note: { by: "pay", of: ["pay", "id", 2, null] } })).toEqual({
      note: { of: ["id", 2, null] },
    });
  });
});

const nested = (levels: number): unknown =>
  JSON.parse(`${'{"a":['.repeat(levels / 2)}"leaf"${"]}".repeat(levels / 2)}`);

describe("createHiddenNames", () => {
  it("keeps the nesting that a record may have, and removes anything deeper", () => {
    const hidden = createHiddenNames(["salary"]);
    expect(hidden.removeFrom(nested(32))).toEqual(nested(32));
    expect(JSON.stringify(hidden.removeFrom(nested(20_000)))).not.toContain("leaf");
    expect(isSameJson(hidden.removeFrom({ list: ["salary", "city"] }), { list: ["city"] })).toBe(
      true,
    );
  });
});
