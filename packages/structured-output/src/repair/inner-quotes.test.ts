import { isDeepStrictEqual } from "node:util";

import { jsonrepair } from "jsonrepair";
import { describe, expect, it } from "vitest";

import { extractJson } from "../extract/extract-json.ts";

// Content with marks that are not escaped, and the marks around it. The second list is read or refused, never wrongly.
const KINDS: Readonly<Record<string, readonly [mark: string, part: string, isRead: boolean]>> = {
  apostrophes: ["'", "it's a dog's day. ", true],
  "plural possessives": ["'", "the dogs' bone. ", true],
  "rock 'n' roll": ["'", "rock 'n' roll. ", true],
  "a word in single quotes": ["'", "say 'no' now. ", true],
  inches: ['"', 'a 32" screen. ', true],
  "feet and inches": ['"', `5'10" tall. `, true],
  "a word": ['"', 'say "no" now. ', true],
  "a word before a comma": ['"', 'say "no", then go. ', true],
  sentences: ['"', 'He said "go." And: "stop". ', true],
  "HTML attributes": ['"', '<a href="x" class="y">z</a> ', true],
  "links with titles": ['"', '[a](b "t") ', true],
  code: ['"', 'print("x"); ', true],
  "code with brackets": ['"', 'f("}") + 1; ', false],
  "JSON objects": ['"', '{"k": "v"} ', false],
  "JSON lists": ['"', '["x", "y"] ', false],
  "a word before a colon": ['"', 'set "k": 1 now. ', true],
};
const SHAPES: readonly ((text: string, q: (text: string) => string) => [string, unknown])[] = [
  (text, q) => [`{${q("a")}: ${q(text)}}`, { a: text }],
  (text, q) => [`{${q("a")}: ${q(text)}, ${q("b")}: 1}`, { a: text, b: 1 }],
  (text, q) => [
    `{${q("z")}: [${q(text)}, ${q("q")}], ${q("b")}: ${q("w")}}`,
    { z: [text, "q"], b: "w" },
  ],
  (text, q) => [
    `{\n  ${q("a")}: ${q(text.trim())},\n  ${q("b")}: ${q("x")}\n}`,
    { a: text.trim(), b: "x" },
  ],
];

function readOr(text: string, refused: unknown): unknown {
  const read = extractJson(text);
  return read.ok ? read.value.value : refused;
}

function isReadByJsonrepair(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(jsonrepair(text)), value);
  } catch {
    return false;
  }
}

describe("a string with quotes that are not escaped", () => {
  it.each(Object.entries(KINDS))("keeps all of %s, however many", (_name, [mark, part, isRead]) => {
    for (const shape of SHAPES)
      for (let count = 1; count <= 50; count += 1) {
        const [text, value] = shape(part.repeat(count), (inner) => mark + inner + mark);
        const mayRefuse = !isRead && !isReadByJsonrepair(text, value);
        expect(readOr(text, mayRefuse ? value : "refused")).toEqual(value);
      }
  });

  // A bracket is wrong, missing or one too many, so that a text could go on through all of the structure behind it.
  it.each<[string, unknown]>([
    ['{"a": ["p", "q"}, "b": ["r", "s"]}', { a: ["p", "q"], b: ["r", "s"] }],
    ['[{"a": "p"}][{"a": "q"}]', "refused"],
    ['["a": "p"]', [{ a: "p" }]],
    ['{"a": ["p"], "b": "q", ["r"] }', "refused"],
    ['{"a": "p"}, "b" "q"}', "refused"],
    ['{"a": ["p", "q" note], "b": ["r", "s"]}', { a: ["p", "q", "note"], b: ["r", "s"] }],
  ])("does not run on into the next value in %s", (text, value) => {
    expect(readOr(text, "refused")).toEqual(value);
  });

  it.each(['x.split(",")', 'f("}") + 1', 'say "a", "b", then "c"', '{"k": {"j": "v"}}'])(
    "still holds %s",
    (inner) => {
      expect(readOr(`{"a": "${inner}", "b": 1}`, "refused")).toEqual({ a: inner, b: 1 });
    },
  );

  it.each([
    '{"name": "John", "city": "New York, "gender": "male"}',
    "{'name': 'Jack O'Sullivan, 'id': '5'}",
    '{"a": "b, "c": "d, "e": 1}',
  ])("does not take the next member for content: %s", (text) => {
    expect(Object.keys(readOr(text, { a: 1, b: 2 }) as object).length).toBeGreaterThan(1);
  });
});
