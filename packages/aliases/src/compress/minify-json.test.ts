import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { minifyJson } from "./minify-json.ts";

const tokensOf = (json: string): string[] =>
  json.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];

describe("minifyJson", () => {
  it.each([
    [
      "keeps the spelling of numbers",
      "[ 1.0, 1e5 , 12345678901234567890, -0 ]",
      "[1.0,1e5,12345678901234567890,-0]",
    ],
    ["keeps double keys", '{ "a" : 1,\n "a" : 2 }', '{"a":1,"a":2}'],
    [
      "keeps white space and escapes inside strings",
      '{ "a b" : "x \\" \\\\ ", "c":"\\u0041\\t" }',
      '{"a b":"x \\" \\\\ ","c":"\\u0041\\t"}',
    ],
    ["takes a bare value", " true\r\n", "true"],
  ])("%s", (_, text, minified) => {
    expect(minifyJson(text)).toBe(minified);
  });

  it.each(["", "{", "{'a': 1}", '{"a": 1,}', "// c\n{}", '{"a": 1} x'])(
    "leaves %j, which is not JSON, alone",
    (text) => {
      expect(minifyJson(text)).toBeUndefined();
    },
  );

  it("keeps every token of any JSON, and nothing between them", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom("", " ", "\t", 2, 4), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const minified = minifyJson(text) ?? "";
        expect(tokensOf(minified)).toEqual(tokensOf(text));
        expect(tokensOf(minified).join("")).toBe(minified);
        expect(JSON.parse(minified)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("copes with a megabyte of nesting and of escapes", () => {
    const deep = `${"[ ".repeat(300_000)}${"] ".repeat(300_000)}`;
    expect(minifyJson(deep)).toHaveLength(600_000);
    const escapes = JSON.stringify('"\\'.repeat(300_000));
    expect(minifyJson(` ${escapes} `)).toBe(escapes);
  });
});
