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
    ["\u0130D", "\u0130D, i\u0307d and ID", "[hidden], [hidden] and ID"],
    ["stra\u00dfe", "STRASSE Stra\u1e9ee stra\u00dfen", "[hidden] [hidden] stra\u00dfen"],
    [
      "\u03bf\u03b4\u03cc\u03c2",
      "\u039f\u0394\u039f\u0301\u03a3 \u03bf\u03b4\u03cc\u03c3",
      "[hidden] [hidden]",
    ],
    ["caf\u00e9", "cafe\u0301 CAF\u00c9 cafe caf\u00e9s", "[hidden] [hidden] cafe caf\u00e9s"],
    ["cafe\u0301", "\u00e9 caf\u00e9 \u00e9", "\u00e9 [hidden] \u00e9"],
    [
      "\u1ee3",
      "o\u031b\u0323 o\u0323\u031b \u01a1\u0323 \u1ecd\u031b",
      "[hidden] [hidden] [hidden] [hidden]",
    ],
    ["t", "\u00e9t\u00e9 e\u0301t t\u0301 t", "\u00e9t\u00e9 e\u0301t t\u0301 [hidden]"],
    ["pay", "\u26a0\ufe0fpay p\ufe0fay\ufe0f.", "\u26a0\ufe0f[hidden] [hidden]."],
    ["\ud55c", "\u1112\u1161\u11ab", "[hidden]"],
  ])("hide %s in %j only as a whole word", (name, text, shown) => {
    const hidden = createHiddenNames([name]);
    expect(hidden.maskIn(text)).toBe(shown);
    expect(hidden.isNamedIn(text)).toBe(text !== shown);
  });

  it("are masked whole if one begins with another, and ignored if blank", () => {
    expect(createHiddenNames(["pay", "pay rate"]).maskIn("by pay rate")).toBe("by [hidden]");
    expect(createHiddenNames(["", " "])).toBe(createHiddenNames([]));
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
