import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { answerValue, MISPRINTS, misprint } from "../../test-support/misprint.ts";
import { extractJson } from "../extract/extract-json.ts";
import type { StructuredSchema } from "../schema/structured-schema.ts";
import { type PartialAnswer, parsePartial } from "./parse-partial.ts";

async function states<T>(
  chunks: Iterable<string>,
  schema?: StructuredSchema<T>,
): Promise<PartialAnswer<T>[]> {
  const seen: PartialAnswer<T>[] = [];
  for await (const state of parsePartial<T>(chunks, { schema })) seen.push(structuredClone(state));
  return seen;
}

const values = async (chunks: Iterable<string>): Promise<unknown[]> =>
  (await states(chunks)).map(({ value }) => value);

describe("parsePartial", () => {
  it("shows strings as they arrive, and neither keys nor numbers before they are complete", async () => {
    expect(await values(['{"na', 'me": "A', 'nn"', ', "age": 4', "2}"])).toEqual([
      {},
      { name: "A" },
      { name: "Ann" },
      { name: "Ann" },
      { name: "Ann", age: 42 },
      { name: "Ann", age: 42 },
    ]);
  });

  it("says once of each value that it is finished, and where the answer grows", async () => {
    const seen = await states(['{"tags": ["a", "b', '"], "n": 1', ', "s": "x', '"}']);
    expect(seen.map(({ finished, growing }) => ({ finished, growing }))).toEqual([
      { finished: [], growing: ["tags", 1] },
      { finished: [["tags", 0]], growing: ["n"] },
      { finished: [["tags", 1], ["tags"]], growing: ["s"] },
      { finished: [["n"]], growing: [] },
      { finished: [["s"], []], growing: undefined },
    ]);
  });

  it("brings values into the shape of a schema once they are finished", async () => {
    const schema = z.object({ age: z.int(), size: z.enum(["small", "large"]), note: z.string() });
    const seen = await states(["{age: '4", "2', size: 'La", "rge', note: 'n", "ice'}"], schema);
    expect(seen.map(({ value }) => value)).toEqual([
      {},
      { age: 42 },
      { age: 42, size: "large", note: "n" },
      { age: 42, size: "large", note: "nice" },
      { age: 42, size: "large", note: "nice" },
    ]);
    expect(seen.at(-1)?.growing).toBeUndefined();
  });

  it.each<[string, string[], unknown]>([
    [
      "reasoning, prose and a fence",
      ['<think>{"a"', ":1}</think>Here:\n```js", 'on\n{"b":2}', "\n```"],
      { b: 2 },
    ],
    [
      "single quotes, Python's words and comments",
      ["{'a': Non", "e, # why\n 'b': NaN,}"],
      { a: null, b: null },
    ],
    ["a text at the root", ['"a', 'b"'], "ab"],
    ["a number at the root", ["4", "2"], 42],
    ["unescaped quotes", ['{"a": "say "h', 'i" now", "b": 1}'], { a: 'say "hi" now', b: 1 }],
  ])("reads %s", async (_name, chunks, value) => {
    expect((await states(chunks)).at(-1)).toMatchObject({ value, growing: undefined });
  });

  it("shows escapes once they are whole, wherever the stream was cut", async () => {
    const document = { path: "C:\\new\\\\dir\\", text: 'a\n"b"\té', emoji: "x😀" };
    const text = JSON.stringify(document).replace("😀", "\\ud83d\\ude00");
    for (const size of [1, 2, 3]) {
      const chunks = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      const seen = await states(chunks);
      for (const { value } of seen)
        for (const [key, shown] of Object.entries(value as object))
          expect(Reflect.get(document, key).startsWith(shown)).toBe(true);
      expect(seen.at(-1)).toMatchObject({ value: document, growing: undefined });
    }
  });

  it("only adds to a path, however its backslashes are meant", async () => {
    for (const path of [String.raw`D:\temp\file.txt`, String.raw`\\srv\share`]) {
      const seen = await states(`{"p": "${path}", "q": 1}`);
      const shown = seen.map(({ value }) => (value as { p?: string }).p ?? "");
      expect(shown.every((text) => path.startsWith(text))).toBe(true);
    }
  });

  it("keeps the digits of a number for a text", async () => {
    const schema = z.object({ tags: z.array(z.string()) });
    const last = (await states(['{"tags": [1.0, 2.50', "]}"], schema)).at(-1);
    expect(last).toMatchObject({ value: { tags: ["1.0", "2.50"] }, growing: undefined });
  });

  it("leaves out the null of an optional member, as the whole answer does", async () => {
    const schema = z.object({ tags: z.array(z.string()).optional(), name: z.string() });
    const seen = await states(['{"tags": null, ', '"name": "Ulm"}'], schema);
    expect(seen.map(({ value }) => value)).toEqual([{}, { name: "Ulm" }, { name: "Ulm" }]);
    expect(seen.flatMap(({ finished }) => finished)).toEqual([["name"], []]);
    expect(seen.at(-1)?.growing).toBeUndefined();
  });

  it("keeps growing at its end what was cut off or cannot be read", async () => {
    expect((await states(['{"a": 1, "b": "x'])).at(-1)).toMatchObject({
      value: { a: 1, b: "x" },
      growing: ["b"],
    });
    expect((await states(['{"a": 1, ]: 2}'])).at(-1)?.growing).toBeDefined();
  });

  it("makes an own field of __proto__", async () => {
    const value = (await values(['{"__proto__": {"isAdmin": true}}'])).at(-1);
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(Object.hasOwn(Object.prototype, "isAdmin")).toBe(false);
  });

  it("reads an async stream", async () => {
    async function* stream(): AsyncGenerator<string> {
      yield* ["[1,", "2]"];
    }
    const seen: unknown[] = [];
    for await (const { value } of parsePartial(stream())) seen.push(structuredClone(value));
    expect(seen).toEqual([[1], [1, 2], [1, 2]]);
  });

  it("ends with the whole value, wherever the stream was cut into chunks", async () => {
    const documents = fc.oneof(
      fc.array(fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
    );
    await fc.assert(
      fc.asyncProperty(documents, fc.array(fc.nat({ max: 9 })), async (document, sizes) => {
        const text = JSON.stringify(document);
        const chunks: string[] = [];
        let at = 0;
        for (const size of sizes) chunks.push(text.slice(at, (at += size)));
        const last = (await states([...chunks, text.slice(at)])).at(-1);
        expect(last).toMatchObject({ growing: undefined });
        expect(last?.value).toEqual(JSON.parse(text));
      }),
    );
  });

  it("only adds to what it gave, whatever was misprinted", async () => {
    const kinds = fc.subarray(Object.keys(MISPRINTS), { minLength: 1, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(kinds, fc.nat(), async (chosen, seed) => {
        let state = seed;
        const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
        const text = misprint(answerValue(random), chosen, random);
        const read = extractJson(text);
        const finished = new Map<string, unknown>();
        const seen = await states(text.match(/[^]{1,3}/g) ?? []);
        for (const { value, finished: places } of seen) {
          const at = (path: readonly (string | number)[]): unknown =>
            path.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), value);
          for (const path of places) {
            expect(finished.has(JSON.stringify(path))).toBe(false);
            finished.set(JSON.stringify(path), at(path));
          }
          for (const [path, before] of finished) expect(at(JSON.parse(path))).toEqual(before);
        }
        const last = seen.at(-1);
        const isWhole = last !== undefined && last.growing === undefined;
        expect(isWhole && read.ok ? read.value.value : last?.value).toEqual(last?.value);
      }),
    );
  });

  it("survives any nesting", async () => {
    expect((await states(["[".repeat(10_000), "]".repeat(10_000)])).at(-1)?.growing).toBeDefined();
  });
});
