import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractJson } from "./extract-json.ts";
import type { ExtractOptions } from "./extract-options.ts";
import { PlainReader } from "../repair/plain-reader.ts";

const r = String.raw;

function read(text: string, options?: ExtractOptions): unknown {
  const result = extractJson(text, options);
  return result.ok ? result.value.value : result.issues[0]?.code;
}

const isPlan = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, "plan");
// Strings that look like the ends of strings and brackets.
const marks = fc.string({ unit: fc.constantFrom(...'"]}[{,:#/` \\\na1'), maxLength: 6 });
const trap = fc.oneof(
  marks,
  fc.array(marks),
  fc.dictionary(marks, fc.oneof(marks, fc.double({ noNaN: true }))),
);
const containers = fc.oneof(
  fc.array(fc.jsonValue()),
  fc.dictionary(fc.string(), fc.jsonValue()),
  fc.array(trap),
  fc.dictionary(marks, trap),
);
const json = containers.map((value) => JSON.stringify(value));

describe("extractJson", () => {
  it.each([
    ["JSON as it stands", '{"a":1}', "whole", 0, 7],
    ["JSON behind a byte order mark", '\ufeff{"a":1}', "whole", 1, 8],
    ["JSON in a JSON string", '"{\\"a\\":1}"', "double_encoded", 0, 11],
    ["JSON in a fence", 'Here:\n```json\n{"a":1}\n```', "fence", 14, 21],
    ["JSON in prose", 'It is {"a":1}, as asked.', "prose", 6, 13],
  ])("finds %s and says where", (_name, text, kind, start, end) => {
    const result = extractJson(text);
    expect(result).toEqual({
      ok: true,
      value: { value: { a: 1 }, repairs: [], source: { kind, start, end, path: [] } },
    });
  });

  it.each([
    [
      "a fence that stands inside a string",
      '```json\n{"doc": "```js\\n{}\\n```", "n": 1}\n```',
      { doc: "```js\n{}\n```", n: 1 },
    ],
    ["a fence without an end", '```json\n{"a": 1}', { a: 1 }],
    ["reasoning with drafts", '<think>Maybe {"a": 0}? Or {"a": </think>\n{"a": 1}', { a: 1 }],
    [
      "reasoning whose opening tag is not in the answer",
      'Maybe {"a": 0}?</think>{"a": 1}',
      { a: 1 },
    ],
    ["tags inside a string", '{"a": "<think>x</think>", }', { a: "<think>x</think>" }],
    ["a footnote mark before the value", 'As shown [1], it is {"a": 1}.', { a: 1 }],
    ["brackets in prose", "Use [name] and {name}: then ```json\n[1, 2]\n```", [1, 2]],
    [
      "a draft before the fence that is called final",
      '```\n{"a": 0}\n```\nFinal answer:\n```json\n{"a": 1}\n```',
      { a: 1 },
    ],
    [
      "the same value twice",
      'First {"a": 1, "b": 2}, so:\n```json\n{"b": 2, "a": 1}\n```',
      { a: 1, b: 2 },
    ],
    ["numbers beyond what a double holds", '{"a": 1e400}', { a: "1e400" }],
    ["backslashes of a pattern", '{"re": "\\w+\\b\\d"}', { re: "\\w+\\b\\d" }],
    ["backslashes of a path", '{"p": "D:\\Users\\bob\\new.txt"}', { p: "D:\\Users\\bob\\new.txt" }],
    ["a quoted string with raw line breaks", '"a\nb"', "a\nb"],
    ["bare numbers", "1, 2\n3,", [1, 2, 3]],
    ["numbers with a leading zero", "007", "007"],
    ["strings joined by +", '"a" +\n"b"', "ab"],
    ["JSON Lines", '{"a": 1}\n{"a": 2}\n', [{ a: 1 }, { a: 2 }]],
    ["a call", 'callback({"a": 1});', { a: 1 }],
    ["a label and a name", '[TOOL_CALLS]create_file{"a": 1}', { a: 1 }],
    ["a value said twice", '{"a": 1}{"a": 1}', { a: 1 }],
    ["a bracket in unescaped quotes", '{"a": "f("}") + 1", "b": 2}', { a: 'f("}") + 1', b: 2 }],
    ["text escaped once too often", '{\\"a\\": \\"say \\\\"hi\\\\"\\"}', { a: 'say "hi"' }],
  ])("reads past %s", (_name, text, value) => {
    expect(read(text)).toEqual(value);
  });

  it.each([
    ["", "ERR_JSON_EXTRACT"],
    ["Sorry, I cannot do that.", "ERR_JSON_EXTRACT"],
    ['{"a": 1', "ERR_TRUNCATED"],
    ['```json\n{"a": [1, 2\n```', "ERR_TRUNCATED"],
    ["{'a': 'b', 'c': ['d'", "ERR_TRUNCATED"],
    ["<think>Let me see", "ERR_TRUNCATED"],
    ['{"a": 1} and then {"b": [', "ERR_TRUNCATED"],
    ['["It says [done]', "ERR_TRUNCATED"],
    ['{"a": 1}{"a": 2}', "ERR_SCHEMA_VALIDATION"],
    ['{"a": 1, so "b": 2}', "ERR_JSON_PARSE"],
    ['{"a": 1, and then "b": 2, "c": 3}', "ERR_JSON_PARSE"],
    ['{"a": "x" (note), "b": 2}', "ERR_JSON_PARSE"],
    ['{"a": "x", "b": "y, "a": "z"}', "ERR_JSON_PARSE"],
    ['{"a": &quot;x&quot;}', "ERR_JSON_PARSE"],
    ['{"a": [object Object]}', "ERR_JSON_PARSE"],
    ['{"a": 1}, "b": 2}', "ERR_JSON_PARSE"],
    ['{"a": 1}, "b', "ERR_JSON_PARSE"],
    ['```json\n{"a": "x", "]"\n```', "ERR_TRUNCATED"],
    ['```json\n[{"a": "x", "]  \n```\nThat is all.', "ERR_TRUNCATED"],
    ['```json\n[{"a": "x", "]\\\n```', "ERR_TRUNCATED"],
    ['```json\n{"a": "", "} ": 7.\n```', "ERR_TRUNCATED"],
    ['Unlike {"a": 0}:\n```json\n{"a": 1}\n```', "ERR_SCHEMA_VALIDATION"],
    ['```\n{"a": 0}\n```\nNot final:\n```json\n{"a": 1}\n```', "ERR_SCHEMA_VALIDATION"],
    ['{"a": "\\d+\\nb"}', "ERR_JSON_PARSE"],
    ["{temperature in SF}", "ERR_JSON_PARSE"],
    ["12.", "ERR_JSON_EXTRACT"],
    ["Sure (yes)", "ERR_JSON_EXTRACT"],
    ['"a" + "b', "ERR_JSON_EXTRACT"],
    ['{"a": "b", ]: 2}', "ERR_JSON_PARSE"],
  ])("refuses %j with %s", (text, code) => {
    expect(read(text)).toBe(code);
  });

  it("refuses a complete answer that the model stopped at its length limit", () => {
    expect(read('{"a":1}', { finishReason: "length" })).toBe("ERR_TRUNCATED");
    expect(read('{"a":1}', { finishReason: "stop" })).toEqual({ a: 1 });
  });

  it("takes the outermost value that is accepted, and says the way to it", () => {
    const text = 'Not {"a": 1} but {"result": [{"plan": {"plan": 2}}]}.';
    const result = extractJson(text, { accept: isPlan });
    expect(result).toMatchObject({
      ok: true,
      value: { value: { plan: { plan: 2 } }, source: { kind: "prose", path: ["result", 0] } },
    });
    expect(read('{"a": 1}', { accept: isPlan })).toBe("ERR_SCHEMA_VALIDATION");
  });

  it("keeps a string that is accepted as it is, though it holds JSON", () => {
    expect(read('"[1]"', { accept: (value) => typeof value === "string" })).toBe("[1]");
    expect(read('"[1]"')).toEqual([1]);
  });

  it("refuses what is larger or deeper than the limits, valid or not", () => {
    const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(read('{"a":"é"}', { limits: { maxBytes: 9 } })).toBe("ERR_JSON_PARSE");
    expect(read('{"a":"é"}', { limits: { maxBytes: 10 } })).toEqual({ a: "é" });
    expect(read(deep(513))).toBe("ERR_JSON_PARSE");
    expect(read(`Here: ${deep(513)}`)).toBe("ERR_JSON_PARSE");
    expect(read('["[[[[", 1]', { limits: { maxDepth: 1 } })).toEqual(["[[[[", 1]);
    expect(read("['a', 'b', 'c']", { limits: { maxRepairs: 2 } })).toBe("ERR_JSON_PARSE");
  });

  it.each(["[", "{", '{"a":', "[{'a':(", "]", "(", '{"a":"'])("survives 100,000 of %j", (part) => {
    expect(extractJson(part.repeat(100_000)).ok).toBe(false);
  });

  it("lists what the engine would drop or round in silence", () => {
    const key = fc.constantFrom("a", "b", ":", "__proto__").map((name) => JSON.stringify(name));
    const scalar = fc.constantFrom(
      "1",
      "-0",
      "9007199254740993",
      "1e400",
      r`"\bfoo"`,
      r`"\\bfoo"`,
      '"a:b"',
      r`"\u003a"`,
    );
    const member = fc.tuple(
      key,
      fc.oneof(
        scalar,
        key.map((name) => `{${name}: [0]}`),
      ),
    );
    fc.assert(
      fc.property(fc.array(member, { minLength: 1, maxLength: 4 }), (members) => {
        const text = `{${members.map((pair) => pair.join(": ")).join(", ")}}`;
        const reader = new PlainReader(0, { maxDepth: 512, maxRepairs: 100 });
        expect(reader.read(text, true)).toBe("complete");
        const { value, repairs } = reader;
        expect(extractJson(text)).toMatchObject({ ok: true, value: { value, repairs } });
      }),
    );
  });

  it("makes an own field of __proto__ and changes no prototype", () => {
    const value = read("{'__proto__': {isAdmin: true}, a: 1,}");
    expect(Object.keys(value as object)).toEqual(["__proto__", "a"]);
    expect(Object.hasOwn(Object.prototype, "isAdmin")).toBe(false);
  });

  it.each<[string, (text: string) => string]>([
    ["nothing", (text) => text],
    ["a byte order mark", (text) => `\ufeff${text}`],
    ["white space", (text) => `\n\t ${text} \n`],
    ["a labelled fence", (text) => `\`\`\`json\n${text}\n\`\`\``],
    ["a fence without label", (text) => `\`\`\`\n${text}\n\`\`\``],
    [
      "prose and a fence",
      (text) => `Here is the result:\n\n\`\`\`json\n${text}\n\`\`\`\nAnything else?`,
    ],
    ["a JSON string", (text) => JSON.stringify(text)],
    ["reasoning", (text) => `<think>Hm, [maybe] {"so": </think>\n${text}`],
  ])("brings back what JSON.stringify made in %s", (_name, wrap) => {
    fc.assert(
      fc.property(json, (text) => {
        expect(extractJson(wrap(text))).toMatchObject({ ok: true, value: { repairs: [] } });
        expect(read(wrap(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("brings back what JSON.stringify made in prose, told apart by what is accepted", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (inner) => {
        const text = JSON.stringify({ plan: inner });
        expect(read(`The answer [1] is: ${text}. Does {that} help?`, { accept: isPlan })).toEqual(
          JSON.parse(text),
        );
      }),
    );
  });

  it.each<[string, (text: string) => string]>([
    ["alone", (text) => text],
    ["in a fence", (text) => `\`\`\`json\n${text}`],
    ["in a closed fence", (text) => `\`\`\`json\n${text}\n\`\`\``],
    ["in a closed fence before prose", (text) => `\`\`\`json\n${text}\n\`\`\`\nThat is "all" [1].`],
    ["after prose", (text) => `The answer:\n\n${text}`],
    ["after reasoning", (text) => `<think>So {"a": 1}.</think>${text}`],
  ])("never accepts a valid document that is cut off, %s", (_name, wrap) => {
    fc.assert(
      fc.property(json, fc.nat(), fc.boolean(), (compact, cut, isIndented) => {
        const text = isIndented ? JSON.stringify(JSON.parse(compact), undefined, 2) : compact;
        const prefix = text.slice(0, 1 + (cut % Math.max(1, text.length - 1)));
        fc.pre(prefix !== text);
        expect(extractJson(wrap(prefix)).ok).toBe(false);
      }),
    );
  });

  it("never throws, whatever the text, and reads its own output back unchanged", () => {
    const pieces = fc.constantFrom(
      ..."{}[]():,;\"'`\\/#*+-.…“”\n 1aé",
      "```",
      "<think>",
      "</think>",
      "True",
      "...",
      "//",
      "/*",
      "*/",
      '"a": ',
      '\\"',
      "\\u12",
      "__proto__",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        const text = parts.join("");
        const result = extractJson(text);
        if (!result.ok || typeof result.value.value === "string") return;
        const { value, repairs } = result.value;
        for (const { position } of repairs) expect(position).toBeLessThanOrEqual(text.length);
        expect(extractJson(JSON.stringify(value))).toMatchObject({
          ok: true,
          value: { repairs: [] },
        });
        expect(read(JSON.stringify(value))).toEqual(value);
      }),
    );
  });
});
