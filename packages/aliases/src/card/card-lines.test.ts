import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cleanItem, cutText } from "./card-lines.ts";
import { packGroups, packItems } from "./pack-items.ts";

const graphemes = (text: string): string[] =>
  [...new Intl.Segmenter("en").segment(text)].map(({ segment }) => segment);

describe("cutText", () => {
  it.each([
    ["short", 10, "short"],
    ["one two three four", 12, "one two..."],
    ["abcdefghijklmnop", 10, "abcdefg..."],
    ["👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 16, "👩‍👩‍👧..."],
    ["e\\u0301".repeat(10), 8, "e\\u0301e\\u0301..."],
  ])("cuts %j to %d units as %j", (text, maxLength, cut) => {
    expect(cutText(JSON.parse(`"${text}"`), maxLength)).toBe(JSON.parse(`"${cut}"`));
  });

  it("marks what it cuts, keeps whole graphemes and stays within the limit", () => {
    const text = fc
      .array(
        fc.oneof(
          fc.string({ unit: "grapheme" }),
          fc.constantFrom("👩‍👩‍👧", "e\u0301\u0302", "🇩🇪🇫🇷", " "),
        ),
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 60 }), (text, maxLength) => {
        const cut = cutText(text, maxLength);
        expect(cut.length).toBeLessThanOrEqual(maxLength);
        if (cut === text) return;
        expect(cut.endsWith("...")).toBe(true);
        const kept = graphemes(cut.slice(0, -3));
        expect(kept).toEqual(graphemes(text).slice(0, kept.length));
      }),
    );
  });
});

describe("cleanItem", () => {
  it.each([
    ['say "it" and «это»', "say it and это"],
    ["don't 'quote' l’été", "don't quote l’été"],
    ["a\0b\u202ec\nd\te", "a b c d e"],
    ["\ud83d lone", "lone"],
  ])("turns %j into one line without quotation marks", (text, clean) => {
    expect(cleanItem(text)).toBe(clean);
  });
});

describe("packItems", () => {
  it("counts what does not fit", () => {
    const items = Array.from({ length: 40 }, (_, index) => `item ${index}`);
    expect(packItems("Rejected", items, { maxLines: 2 })).toMatchInlineSnapshot(`
      [
        "Rejected: item 0; item 1; item 2; item 3; item 4; item 5; item 6; item 7; item 8; item 9; item 10",
        "Rejected: item 11; item 12; item 13; item 14; item 15; item 16; item 17; item 18; +21 more",
      ]
    `);
  });

  it("shows every item or counts it, in lines that fit", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        (lengths, maxLines) => {
          const lines = packItems(
            "Label",
            lengths.map((length) => "x".repeat(length)),
            { maxLines },
          );
          expect(lines.length).toBeLessThanOrEqual(maxLines);
          for (const line of lines) expect(line.length).toBeLessThanOrEqual(98);
          const parts = lines.flatMap((line) => line.replace("Label: ", "").split("; "));
          const more = /^\+(\d+) more$/.exec(parts.at(-1) ?? "")?.[1];
          expect(parts.length + (more === undefined ? 0 : Number(more) - 1)).toBe(lengths.length);
        },
      ),
    );
  });
});

describe("packGroups", () => {
  it("names the groups that did not get a line", () => {
    const groups = Array.from({ length: 12 }, (_, index) => ({
      subject: `S${index}`,
      items: ["a", "b"],
    }));
    expect(packGroups(groups).slice(-2)).toEqual(["S8: a; b", "+3 more: S9, S10, S11"]);
  });
});
