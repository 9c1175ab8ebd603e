import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { queryTerms, splitIdentifier, stemWord } from "./query-terms.ts";

describe("splitIdentifier", () => {
  it.each([
    ["parseJSON5_value", ["parse", "json", "5", "value"]],
    ["HTTPServer", ["http", "server"]],
    ["snake_case-name", ["snake", "case", "name"]],
    ["ЗаметкиПользователя", ["заметки", "пользователя"]],
    ["x", ["x"]],
    ["__", []],
  ])("cuts %s at its words", (identifier, words) => {
    expect(splitIdentifier(identifier)).toEqual(words);
  });
});

describe("stemWord", () => {
  it.each([
    ["cache", "caching", "cached", "caches"],
    ["validate", "validator", "validation", "validates"],
    ["query", "queries"],
    ["parse", "parser", "parsing"],
    ["run", "running", "runs"],
    ["match", "matches"],
    ["заметка", "заметки", "заметок"],
  ])("gives the forms of %s one stem", (...forms) => {
    expect(new Set(forms.map(stemWord)).size).toBe(1);
  });

  it("gives no word an empty stem", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\p{Ll}{1,20}$/u), (word) => {
        expect(stemWord(word)).not.toBe("");
      }),
    );
  });
});

describe("queryTerms", () => {
  it("leaves out what says nothing of the place and keeps compounds beside their parts", () => {
    expect([...queryTerms("fix(router): add support for rateLimit in src/http.ts")])
      .toMatchInlineSnapshot(`
      [
        [
          "rout",
          1,
        ],
        [
          "rate",
          1,
        ],
        [
          "limit",
          1,
        ],
        [
          "ratelimit",
          1.5,
        ],
        [
          "src",
          1,
        ],
        [
          "http",
          1,
        ],
        [
          "ts",
          1,
        ],
        [
          "srchttpts",
          1.5,
        ],
      ]
    `);
  });
});
