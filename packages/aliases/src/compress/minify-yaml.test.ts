import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAllDocuments, stringify } from "yaml";

import { minifyYaml } from "./minify-yaml.ts";

const valuesOf = (text: string): unknown[] => {
  const documents = parseAllDocuments(text, { intAsBigInt: true, logLevel: "silent" });
  return Array.isArray(documents) ? documents.map((document): unknown => document.toJS()) : [];
};

describe("minifyYaml", () => {
  it("drops comments, blank lines and indentation", () => {
    const text = `# Service settings\nserver:\n    port: 8080   # TLS ends before\n\n    hosts:\n        - a.example\n        - b.example\n`;
    expect(minifyYaml(text)).toBe("{server: {port: 8080, hosts: [a.example, b.example]}}\n");
  });

  it("chooses the form that the measure finds shorter", () => {
    const lines = (text: string): number => -text.split("\n").length;
    expect(minifyYaml("a:\n    - 1\n    - 2\n", lines)).toBe("a:\n - 1\n - 2\n");
  });

  it.each([
    ["the spelling of numbers", "a: 1.0\nb: 0o14\nc: 12345678901234567890\nd: 1e5\ne: 0x1F\n"],
    ["quoted values that would read as others", "a: \"1.0\"\nb: 'true'\nc: \"\"\nd: 'no'\n"],
    ["empty values, which are null", "a:\nb: ~\nc: null\n"],
    ["anchors, aliases and merge keys", "base: &base\n  x: 1\none:\n  <<: *base\n  y: 2\n"],
    ["block scalars", "a: |\n  first\n    second\n\n  third\nb: >-\n  one\n  two\n"],
    ["tags", "a: !custom {x: 1}\nb: !!str 5\n"],
    ["documents", "a: 1\n---\nb: 2\n---\n- 3\n"],
    [
      "plain text with marks of the flow style",
      "a: one, two [three] {four}\nb: x # no comment in 'y#z'\nurl: http://x.example:80/#a\n",
    ],
  ])("keeps %s", (_, text) => {
    const minified = minifyYaml(text) ?? "";
    expect(minified).not.toBe("");
    expect(valuesOf(minified)).toEqual(valuesOf(text));
    expect(minifyYaml(minified)).toBe(minified);
  });

  it.each(["a: 1\na: 2\n", "a: [1\n", "%TAG ! tag:x,2000:\n---\na: !b 1\n", "\t- x: {\n"])(
    "leaves %j alone",
    (text) => {
      expect(minifyYaml(text)).toBeUndefined();
    },
  );

  it("expands no aliases", () => {
    const bomb = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 12; level += 1) {
      bomb.push(
        `a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(", ")}]`,
      );
    }
    expect(minifyYaml(bomb.join("\n"))).toContain("*a10");
  });

  it("parses back to the same value, whatever the value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(1, 2, 4), (value, indent) => {
        const text = `# comment\n${stringify(value, { indent })}`;
        const minified = minifyYaml(text);
        if (minified === undefined) return;
        expect(valuesOf(minified)).toEqual(valuesOf(text));
      }),
    );
  });
});
