import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { splitWords } from "./split-words.ts";

const partsOf = (text: string): string[][] => splitWords(text, 10_000).map(({ parts }) => parts);

describe("splitWords", () => {
  it.each([
    ["customer_id", [["customer", "id"]]],
    ["customerID", [["customer", "id"]]],
    ["CustomerIDs", [["customer", "ids"]]],
    ["HTMLDocument", [["html", "document"]]],
    ["parseURLs", [["parse", "urls"]]],
    ["userID2", [["user", "id", "2"]]],
    ["MAX_RETRY_COUNT", [["max", "retry", "count"]]],
    ["__init__", [["init"]]],
    ["public.orders", [["public"], ["orders"]]],
    ["/api/v1/Jobs/{slug}", [["api"], ["v", "1"], ["jobs"], ["slug"]]],
    [
      "ada://any/db/pg:main/public.orders",
      [["ada"], ["any"], ["db"], ["pg"], ["main"], ["public"], ["orders"]],
    ],
    ["kebab-case words", [["kebab"], ["case"], ["words"]]],
    ["the singer's song", [["the"], ["singer"], ["song"]]],
    ["the singer’s song", [["the"], ["singer"], ["song"]]],
    ["Ежедневная выручка", [["ежедневная"], ["выручка"]]],
    ["СуммаДокумента", [["сумма", "документа"]]],
    ["ещё", [["еще"]]],
    ["Café Zürich", [["cafe"], ["zurich"]]],
    ["ﬁle ① ＡＢＣ", [["file"], ["1"], ["abc"]]],
    ["数据库", [["数据", "据库"]]],
    ["orders表", [["orders"], ["表"]]],
    ["emoji 🚀 rocket", [["emoji"], ["rocket"]]],
    ["", []],
    [" \n\t--- ", []],
  ])("splits %j", (text, expected) => {
    expect(partsOf(text)).toEqual(expected);
  });

  it("keeps an identifier as a whole, its parts, and its original spelling", () => {
    expect(splitWords("getUserByName", 10)).toEqual([
      { written: "getUserByName", whole: "getuserbyname", parts: ["get", "user", "by", "name"] },
    ]);
  });

  it("splits at lone surrogates and treats astral letters as letters", () => {
    expect(partsOf("a\ud800b\udc00c")).toEqual([["a"], ["b"], ["c"]]);
    expect(partsOf("𐐨𐐩 x")).toEqual([["𐐨𐐩"], ["x"]]);
  });

  it("limits words and parts of any text", () => {
    const long = splitWords("a".repeat(100_000), 100);
    expect(long).toHaveLength(1);
    expect(long[0]?.whole).toHaveLength(64);
    const parts = splitWords("a_".repeat(50_000), 100).flatMap((word) => word.parts);
    expect(parts.length).toBeLessThanOrEqual(101);
  });

  it("gives lower-case parts without separators for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        for (const { whole, parts } of splitWords(text, 1000)) {
          expect(parts.length).toBeGreaterThan(0);
          expect(parts.every((part) => part.length > 0 && part.length <= 64)).toBe(true);
          expect(whole.length).toBeLessThanOrEqual(64);
          expect(parts.every((part) => !/[\s_.,/:-]/.test(part))).toBe(true);
        }
      }),
    );
  });
});
