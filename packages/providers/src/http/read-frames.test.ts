import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readFrames } from "./read-frames.ts";

async function* cut(bytes: Uint8Array, borders: readonly number[]): AsyncGenerator<Uint8Array> {
  const places = [...new Set(borders.map((border) => border % (bytes.length + 1)))].sort(
    (a, b) => a - b,
  );
  let start = 0;
  for (const end of [...places, bytes.length]) {
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function framesOf(text: string, borders: readonly number[] = []): Promise<string[]> {
  const frames: string[] = [];
  for await (const frame of readFrames(cut(new TextEncoder().encode(text), borders)))
    frames.push(frame.text);
  return frames;
}

const borders = fc.array(fc.nat({ max: 5000 }), { maxLength: 60 });
const payload = fc.dictionary(
  fc.string({ maxLength: 5 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);

describe("readFrames", () => {
  it("gives the same events whatever the chunk borders and line ends", async () => {
    const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
    await fc.assert(
      fc.asyncProperty(fc.array(payload), lineEnd, borders, async (values, end, places) => {
        const texts = values.map((value) => JSON.stringify(value));
        const wire = texts
          .map((text) => [`event: x`, "data:", `data: ${text}`, ": ping", "", ""].join(end))
          .join("");
        expect(await framesOf(wire, places)).toEqual(texts);
      }),
    );
  });

  it.each<[string, string[]]>([
    ["data: a\ndata: b\n\n", ["a\nb"]],
    ["data:a\n\ndata\n\nid: 1\n\n", ["a"]],
    ["\uFEFFdata: a\n\n", ["a"]],
    ['data: {"a":1}\n\ndata: {"b":', ['{"a":1}']],
    ['data: {"a":1}\n\ndata: {"b":2}\n', ['{"a":1}', '{"b":2}']],
    ['data: {"a":1}\n\ndata: {"b":2}', ['{"a":1}', '{"b":2}']],
    ["data: {}\n\ndata: [DONE]", ["{}", "[DONE]"]],
    ["data: {}\n\ndata: [DONE] \n\n", ["{}", "[DONE]"]],
    ['data: {"a":1}\ndata: {"b":2}\n', ['{"a":1}', '{"b":2}']],
    ['data: {"a":1}{"b":2}\n\n', ['{"a":1}', '{"b":2}']],
    ['data: {"a":"}{"}\n\n', ['{"a":"}{"}']],
    ['[{"a":1}]', ['{"a":1}']],
    ['data: {"a":\ndata: 1}\n\n', ['{"a":\n1}']],
    ["data: {}\n\nevent: ping\ndata:\n\ndata: \n\n", ["{}"]],
    ['error: {"code":500}\n\n', ['{"error": {"code":500}}']],
    ['{"a":1}\n{"b":2}\n', ['{"a":1}', '{"b":2}']],
    ['[{"a":1},\n{"b":2}]', ['{"a":1}', '{"b":2}']],
    ['{\n"a": 1\n}\n\n', ['{\n"a": 1\n}\n']],
  ])("reads %j as %j", async (text, expected) => {
    expect(await framesOf(text)).toEqual(expected);
  });

  it("takes a carriage return and a line feed in two chunks for one line end", async () => {
    expect(await framesOf("data: a\r\ndata: b\r\n\r\n", [8, 17])).toEqual(["a\nb"]);
  });

  it("reads a megabyte of one line in small chunks", async () => {
    const text = JSON.stringify("x".repeat(1_000_000));
    const places = Array.from({ length: 20_000 }, (_, index) => index * 50);
    expect(await framesOf(`data: ${text}\n\n`, places)).toEqual([text]);
  });
});
