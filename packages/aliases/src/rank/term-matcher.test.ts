import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { queryTerms, splitIdentifier, stemWord } from "./query-terms.ts";
import { countWords, createTermMatcher } from "./term-matcher.ts";

describe("createTermMatcher", () => {
  it("counts words whatever their case and form, and identifiers as a whole", () => {
    const matcher = createTermMatcher([...queryTerms("rateLimit caching").keys()]);
    const { counts } = matcher.count(
      "const rate_limit = RateLimit(cacheRate); // cached limits, JSONRate",
    );
    expect(Object.fromEntries(matcher.terms.map((term, index) => [term, counts[index]])))
      .toMatchInlineSnapshot(`
      {
        "cach": 2,
        "limit": 3,
        "rate": 4,
        "ratelimit": 2,
      }
    `);
  });

  it("finds the same words in a text as splitting it would", () => {
    const word = fc.stringMatching(/^[a-z]{2,9}$/);
    const identifier = fc
      .array(word, { minLength: 1, maxLength: 4 })
      .chain((words) =>
        fc.constantFrom(
          words.join("_"),
          words.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join(""),
        ),
      );
    fc.assert(
      fc.property(fc.array(identifier), word, (identifiers, sought) => {
        const term = stemWord(sought);
        const text = [...identifiers, sought].join(" ");
        const expected = [...identifiers, sought]
          .flatMap(splitIdentifier)
          .filter((part) => stemWord(part) === term).length;
        const found = createTermMatcher([term]).count(text).counts[0] ?? 0;
        // A compound that spells the sought word counts once more.
        expect(found).toBeGreaterThanOrEqual(expected);
        expect(found).toBeLessThanOrEqual(expected + identifiers.length);
      }),
    );
  });

  it("counts the same in a text and in what was kept of it", () => {
    const text = fc.array(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom("rateLimit", "rate_limit", "caching", "JSONValue", "a.b:3", "Ёлка", "v2"),
      ),
    );
    fc.assert(
      fc.property(text, (parts) => {
        const whole = parts.join(" ");
        const matcher = createTermMatcher(
          [...queryTerms("rateLimit caches jsonValue ёлка v2 a b")].map(([term]) => term),
        );
        expect(matcher.countBag(countWords(whole))).toEqual(matcher.count(whole));
      }),
    );
  });

  it("counts the words of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(createTermMatcher(["a"]).count(text).words).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
