import { describe, expect, it } from "vitest";
import { parseTolerant, type TolerantParse } from "./parse-tolerant.ts";
import { createTextView } from "./text-view.ts";

function parse(text: string): TolerantParse {
  return parseTolerant(createTextView(text), 0, {
    maxDepth: 100,
    maxRepairs: 100,
  });
}

function kinds(text: string): unknown[] {
  const parsed = parse(text);
  if (parsed.status !== "complete") return [parsed.status];
  return [parsed.value, ...parsed.repairs.map(({ kind, position }) => `${kind}@${position}`)];
}

describe("parseTolerant", () => {
  it.each<[string, unknown, string[]]>([
    ["{'a': 'it's'}", { a: "it's" }, ["quote_style@1", "quote_style@6", "unescaped_quote@9"]],
    ["{a: 1, b-c: 2}", { a: 1, "b-c": 2 }, ["unquoted_key@1", "unquoted_key@7"]],
    ["{“a”: “b”}", { a: "b" }, ["quote_style@1", "quote_style@6"]],
    ['{""a"": ""b""}', { a: "b" }, ["quote_style@1", "quote_style@8"]],
    [
      '{\'a\': """x\ny"""}',
      { a: "x\ny" },
      ["quote_style@1", "quote_style@6", "control_character@10"],
    ],
    ["[1, 2,]", [1, 2], ["extra_comma@6"]],
    ["[,1,,2]", [1, 2], ["extra_comma@1", "extra_comma@4"]],
    ['{"a": 1 "b": 2}', { a: 1, b: 2 }, ["missing_comma@8"]],
    ['{"a": "x"\n"b": 2}', { a: "x", b: 2 }, ["missing_comma@10"]],
    ['["a" "b"]', ["a", "b"], ["missing_comma@5"]],
    ['{"a" 1}', { a: 1 }, ["missing_colon@5"]],
    ["{a = 1}", { a: 1 }, ["unquoted_key@1", "missing_colon@3"]],
    ['{"a": , "b": 1}', { a: null, b: 1 }, ["missing_value@6"]],
    ["[1, // one\n2 /* two */, # three\n3]", [1, 2, 3], ["comment@4", "comment@13", "comment@24"]],
    [
      "[True, False, None, undefined, NaN]",
      [true, false, null, null, null],
      ["literal@1", "literal@7", "literal@14", "literal@20", "literal@31"],
    ],
    [
      "[+1, .5, 1., 0x1F, 05]",
      [1, 0.5, 1, 31, "05"],
      ["number@1", "number@5", "number@9", "number@13", "unquoted_string@19"],
    ],
    [
      '{"h": "<a href="x">y</a>"}',
      { h: '<a href="x">y</a>' },
      ["unescaped_quote@15", "unescaped_quote@17"],
    ],
    [
      '["He said "no", then left", "b"]',
      ['He said "no", then left', "b"],
      ["unescaped_quote@10", "unescaped_quote@13"],
    ],
    [
      '{"c": "f(\\"{}\\"); g("}")"}',
      { c: 'f("{}"); g("}")' },
      ["unescaped_quote@20", "unescaped_quote@22"],
    ],
    ['{"a": "x\ty\n"}', { a: "x\ty\n" }, ["control_character@8", "control_character@10"]],
    [
      '{"p": "C:\\dir\\x \\\'"}',
      { p: "C:\\dir\\x '" },
      ["invalid_escape@9", "invalid_escape@13", "invalid_escape@16"],
    ],
    ['{"a":"b,"c":"d"}', { a: "b", c: "d" }, ["missing_quote@7"]],
    ['["a,\n"b"]', ["a", "b"], ["missing_quote@3"]],
    ['{"a": "x" +\n "y"}', { a: "xy" }, ["concatenation@10"]],
    ["[1, 2, ...]", [1, 2], ["ellipsis@7", "extra_comma@10"]],
    ["{'a', 'b'}", ["a", "b"], ["set@0", "quote_style@1", "quote_style@6"]],
    ["[(1, 2), (3), ()]", [[1, 2], 3, []], ["tuple@1", "tuple@9", "tuple@14"]],
    [
      '{"id": ObjectId("5f"), "n": NumberLong(7)}',
      { id: "5f", n: 7 },
      ["function_call@7", "tuple@15", "function_call@28", "tuple@38"],
    ],
    [
      "{a: hello world, b: https://x.y/z}",
      { a: "hello world", b: "https://x.y/z" },
      ["unquoted_key@1", "unquoted_string@4", "unquoted_key@17", "unquoted_string@20"],
    ],
    ["{a: /x,y/i }", { a: "/x,y/i" }, ["unquoted_key@1", "unquoted_string@4"]],
    ['[{"a": 1]', [{ a: 1 }], ["missing_closer@8"]],
    ['{"a": [1}, "b": 2}', { a: [1], b: 2 }, ["wrong_closer@8"]],
    ['["a": 1, "b": 2]', [{ a: 1, b: 2 }], ["missing_braces@4"]],
    ["[\u00a01]", [1], ["whitespace@1"]],
    ['[{"a": 1, {"a": 2}]', [{ a: 1 }, { a: 2 }], ["missing_closer@10"]],
    ['[{"a": 1{"a": 2}]', [{ a: 1 }, { a: 2 }], ["missing_comma@8", "missing_closer@8"]],
    ["[1 -2 3]", [1, -2, 3], ["missing_comma@3", "missing_comma@6"]],
    ["[5 apples]", ["5 apples"], ["unquoted_string@1"]],
    ['{"a: "b", "c": 1}', { a: "b", c: 1 }, ["missing_quote@3"]],
    ['{"a: 1, "b": 2}', { a: 1, b: 2 }, ["missing_quote@3"]],
    ['{"a: ": 1}', { "a: ": 1 }, []],
    [
      '{"a": b", "c": d"}',
      { a: "b", c: "d" },
      ["missing_quote@6", "unquoted_string@6", "missing_quote@15", "unquoted_string@15"],
    ],
    ['{"a": 1, - "b": 2}', { a: 1, b: 2 }, ["stray_text@9"]],
    ['{"a": "x\n"b": "y"}', { a: "x", b: "y" }, ["missing_quote@8", "missing_comma@9"]],
    ["{1, 2}", [1, 2], ["set@0", "unquoted_key@1"]],
  ])("reads %j and lists each repair with its place", (text, value, repairs) => {
    expect(kinds(text)).toEqual([value, ...repairs]);
  });

  it.each([
    '{"a": 1',
    '["a',
    "[1, 2",
    '{"a": "x\n}',
    '{"a: 1}',
    '[{"a": 1, {"a": 2}',
    '{"a": b"',
    "{'a': ['b'",
    '{"a": 1, /* and',
    "[1, 2 ```",
    "{a",
    '{"a"',
    "{'a': 'b\\'}",
  ])("takes %j for cut off and invents no end", (text) =>
    expect(parse(text)).toEqual({ status: "truncated" }),
  );

  it.each(['{"a" ]', "{: 1}", "[:]", '{"a": 1, []}', '{"a": 1, {}}', '{"a": [1], {}}'])(
    "gives up on %j and says where",
    (text) => {
      expect(parse(text)).toMatchObject({ status: "failed" });
    },
  );
});
