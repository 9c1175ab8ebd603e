import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimatedCounter } from "../tokens/estimated-counter.ts";
import { type TruncatedText, truncateMiddle } from "./truncate-middle.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const boundariesOf = (text: string): Set<number> =>
  new Set([...segmenter.segment(text)].map((grapheme) => grapheme.index).concat(text.length));

const marker = (removed: number): string => `<${removed}>`;
const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 400 }),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc
    .array(
      fc.constantFrom("a", "word ", "\n", "\r\n", "é", "e\u0301", "👨‍👩‍👧", "🇷🇺", "각", "नि", "日"),
      {
        maxLength: 200,
      },
    )
    .map((p) => p.join("")),
);

describe("truncateMiddle", () => {
  it("returns a text that fits unchanged", () => {
    expect(truncateMiddle("short", { maxChars: 5 })).toEqual({
      text: "short",
      isTruncated: false,
      removedChars: 0,
    });
    const result = truncateMiddle("short", { maxTokens: 1, counter: estimatedCounter });
    expect(result).toEqual({
      text: "short",
      isTruncated: false,
      removedChars: 0,
      removedTokens: 0,
    });
  });

  it("keeps head and tail and says how many characters were removed", () => {
    const text = `start ${"x".repeat(2000)} end`;
    expect(truncateMiddle(text, { maxChars: 60 })).toMatchInlineSnapshot(`
      {
        "isTruncated": true,
        "removedChars": 1984,
        "text": "start xxxxxxx[... 1,984 characters removed ...]xxxxxxxxx end",
      }
    `);
  });

  it("puts the marker on its own line if line ends are near", () => {
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`).join("\n");
    expect(truncateMiddle(lines, { maxChars: 260 }).text).toMatchInlineSnapshot(`
      "line 0
      line 1
      line 2
      line 3
      line 4
      line 5
      line 6
      line 7
      line 8
      line 9
      line 10
      line 11
      line 12
      line 13
      line 14
      [... 2,371 characters removed ...]
      line 288
      line 289
      line 290
      line 291
      line 292
      line 293
      line 294
      line 295
      line 296
      line 297
      line 298
      line 299"
    `);
    expect(truncateMiddle(lines, { maxTokens: 40, counter: estimatedCounter }).text)
      .toMatchInlineSnapshot(`
      "line 0
      line 1
      line 2
      line 3
      line 4
      [... 1,168 tokens removed ...]
      line 297
      line 298
      line 299"
    `);
  });

  it("never splits CR LF", () => {
    const text = "abc\r\n".repeat(100);
    for (let maxChars = 40; maxChars < 80; maxChars++) {
      expect(truncateMiddle(text, { maxChars }).text).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
    }
  });

  it.each([0, 5, -1, Number.NaN])(
    "returns an empty text and reports it if a limit of %s is too small for the marker",
    (limit) => {
      const text = "y".repeat(100);
      const chars = truncateMiddle(text, { maxChars: limit });
      expect(chars).toEqual({ text: "", isTruncated: true, removedChars: 100 });
      const tokens = truncateMiddle(text, { maxTokens: limit, counter: estimatedCounter });
      expect(tokens).toMatchObject({ text: "", isTruncated: true, removedChars: 100 });
    },
  );

  it("never exceeds its limit in characters, and never cuts inside a grapheme", () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 300 }), (text, maxChars) => {
        const result = truncateMiddle(text, { maxChars, marker });
        expect(result.text.length).toBeLessThanOrEqual(maxChars);
        expect(isFaithful(text, result)).toBe(true);
      }),
    );
  });

  it("never exceeds its limit in tokens, and never cuts inside a grapheme", () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 60 }), (text, maxTokens) => {
        const result = truncateMiddle(text, {
          maxTokens,
          counter: estimatedCounter,
          marker: () => "\u0001",
        });
        expect(estimatedCounter.count(result.text)).toBeLessThanOrEqual(maxTokens);
        if (!result.isTruncated || result.text === "" || text.includes("\u0001")) return;
        const at = result.text.indexOf("\u0001");
        const boundaries = boundariesOf(text);
        expect(boundaries.has(at)).toBe(true);
        expect(boundaries.has(at + result.removedChars)).toBe(true);
      }),
    );
  });

  it("drops a grapheme of thousands of marks as a whole", () => {
    const text = `head ${"e" + "\u0301".repeat(50_000)} tail`;
    const result = truncateMiddle(text, { maxChars: 1_000 });
    expect(result.text).toBe("head [... 50,001 characters removed ...] tail");
  });
});

/**
 * True for the whole text, an empty one, or the text's head, the marker and its tail, cut at
 * graphemes.
 */
function isFaithful(
  text: string,
  { text: result, isTruncated, removedChars }: TruncatedText,
): boolean {
  if (!isTruncated) return result === text && removedChars === 0;
  if (result === "") return removedChars === text.length;
  const boundaries = boundariesOf(text);
  return [...boundaries].some((index) => {
    const joined = text.slice(0, index) + marker(removedChars) + text.slice(index + removedChars);
    return joined === result && boundaries.has(index + removedChars);
  });
}
