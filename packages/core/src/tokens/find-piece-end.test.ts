import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findPieceEnd } from "./find-piece-end.ts";

function split(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = findPieceEnd(text, start);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** The published pattern of o200k_base. */
const contraction = "(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?";
const upper = String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`;
const lower = String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`;
const pattern = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?[${upper}]*[${lower}]+${contraction}`,
    String.raw`[^\r\n\p{L}\p{N}]?[${upper}]+[${lower}]*${contraction}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+|\s+(?!\S)|\s+`,
  ].join("|"),
  "gu",
);

const units =
  "a b A B é É 日 が Я я ǅ ʰ \u0301 1 ² 𝟘 𝔄 𐐀 𐐨 😀 𠀀 \ud800 \udc00 / - ' ' s S t ll VE re \u200d \ufeff \u00a0".split(
    " ",
  );

describe("findPieceEnd", () => {
  it.each([
    ["camelCaseHTTPServer", ["camel", "Case", "HTTPServer"]],
    ["don't STOP'LL", ["don't", " STOP'LL"]],
    ["1234567", ["123", "456", "7"]],
    ["a  \n\n  b", ["a", "  \n\n", " ", " b"]],
    ["x = {};\n\n//", ["x", " =", " {};\n\n//"]],
  ])("splits %j", (text, pieces) => expect(split(text)).toEqual(pieces));

  it("splits any text like the published pattern", () => {
    const text = fc.array(
      fc.oneof(
        fc.constantFrom(...units, " ", "\n", "\r", "\t"),
        fc.string({ unit: "binary", maxLength: 3 }),
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(text, (parts) => {
        const joined = parts.join("");
        expect(split(joined)).toEqual(joined.match(pattern) ?? []);
      }),
    );
  });
});
