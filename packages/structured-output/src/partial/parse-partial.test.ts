import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePartial } from "./parse-partial.ts";

async function states(chunks: Iterable<string>): Promise<string[]> {
  const seen: string[] = [];
  for await (const value of parsePartial(chunks)) seen.push(JSON.stringify(value));
  return seen;
}

async function last(chunks: Iterable<string>): Promise<unknown> {
  let value: unknown;
  for await (value of parsePartial(chunks));
  return value;
}

describe("parsePartial", () => {
  it("shows strings as they arrive, and neither keys nor numbers before they are complete", async () => {
    expect(await states(['{"na', 'me": "A', 'nn"', ', "age": 4', "2}"])).toEqual([
      "{}",
      '{"name":"A"}',
      '{"name":"Ann"}',
      '{"name":"Ann"}',
      '{"name":"Ann","age":42}',
    ]);
  });

  it("grows the last item of a list instead of adding one", async () => {
    expect(await states(['["a', "b", '", "c'])).toEqual(['["a"]', '["ab"]', '["ab","c"]']);
  });

  it("waits for the value behind reasoning, prose and a fence", async () => {
    expect(
      await states(['<think>{"a"', ":1}</think>Here:\n```json\n", '{"b":2}', "\n```"]),
    ).toEqual(['{"b":2}', '{"b":2}']);
  });

  it("keeps the value so far when the text is no JSON from somewhere on", async () => {
    expect(await last(['{"a": 1, "b": nonsense, "c": 2}'])).toEqual({ a: 1 });
  });

  it("makes an own field of __proto__", async () => {
    const value = await last(['{"__proto__": {"isAdmin": true}}']);
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(Object.hasOwn(Object.prototype, "isAdmin")).toBe(false);
  });

  it("reads an async stream", async () => {
    async function* stream(): AsyncGenerator<string> {
      yield* ["[1,", "2]"];
    }
    const seen: unknown[] = [];
    for await (const value of parsePartial(stream())) seen.push(structuredClone(value));
    expect(seen).toEqual([[1], [1, 2]]);
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
        expect(await last([...chunks, text.slice(at)])).toEqual(JSON.parse(text));
      }),
    );
  });

  it("survives any nesting", async () => {
    const value = await last(["[".repeat(100_000), "]".repeat(100_000)]);
    expect(Array.isArray(value)).toBe(true);
  });
});
