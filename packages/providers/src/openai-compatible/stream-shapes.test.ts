import type { ModelDelta, ToolCall } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createOpenAiCompatibleModel } from "./index.ts";

// How servers write a call in pieces, the pieces of its arguments given.
type Shape = (call: ToolCall, index: number, pieces: string[]) => object[];
const fn = (name: string | undefined, text: unknown): object => ({
  function: { ...(name === undefined ? {} : { name }), arguments: text },
});
const shapes: Record<string, Shape> = {
  "by index": ({ id, name }, index, pieces) => [
    { index, id, ...fn(name, "") },
    ...pieces.map((piece) => ({ index, ...fn(undefined, piece) })),
  ],
  "one index for all": ({ id, name }, _, pieces) => [
    { index: 0, id, ...fn(name, "") },
    ...pieces.map((piece) => ({ index: 0, ...fn(undefined, piece) })),
  ],
  "the head at index 0, the rest at its own": ({ id, name }, index, pieces) => [
    { index: 0, id, ...fn(name, "") },
    ...pieces.map((piece) => ({ index, ...fn(undefined, piece) })),
  ],
  "empty arguments first": ({ id, name }, index, pieces) => [
    { index, id, ...fn(name, "{}") },
    ...pieces.map((piece) => ({ index, ...fn(undefined, piece) })),
  ],
  "id and name with each piece": ({ id, name }, index, pieces) =>
    pieces.map((piece) => ({ index, id, ...fn(name, piece) })),
  "no index, the id with each piece": ({ id, name }, _, pieces) =>
    pieces.map((piece) => ({ id, ...fn(name, piece) })),
  "no index, the id at the head": ({ id, name }, _, pieces) => [
    { id, ...fn(name, "") },
    ...pieces.map((piece) => fn(undefined, piece)),
  ],
  "all before and more with each piece": ({ id, name }, index, pieces) =>
    pieces.map((_, at) => ({ index, id, ...fn(name, pieces.slice(0, at + 1).join("")) })),
  "whole, as an object": ({ id, name, arguments: text }, index) => [
    { index, id, ...fn(name, JSON.parse(text)) },
  ],
  "whole, without an id": ({ name, arguments: text }, index) => [{ index, ...fn(name, text) }],
  "whole, without id and index": ({ name, arguments: text }) => [fn(name, text)],
  "whole and then again": ({ id, name, arguments: text }, index) => [
    { index, id, ...fn(name, text) },
    { index, id, ...fn(name, text) },
  ],
};

const call = fc.record({
  name: fc.constantFrom("read", "list", "readAll"),
  arguments: fc
    .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 1 }))
    // A member __proto__ is none of an object that was parsed.
    .filter((value) => !Object.hasOwn(value, "__proto__"))
    .map((value) => JSON.stringify(value)),
});
const calls = fc
  .array(call, { minLength: 1, maxLength: 4 })
  .map((list): ToolCall[] => list.map((one, index) => ({ id: `c${index}`, ...one })));
const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 });

function cut(text: string, steps: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let start = 0, step = 0; start < text.length; step += 1) {
    const end = start + (steps[step % steps.length] ?? 1);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

async function read(
  chunks: readonly object[],
  bytesPerChunk = Infinity,
): Promise<{ deltas: ModelDelta[]; last: Extract<ModelDelta, { type: "finish" }>["response"] }> {
  const events = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"];
  const bytes = new TextEncoder().encode(events.map((event) => `data: ${event}\n\n`).join(""));
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += bytesPerChunk)
    pieces.push(bytes.slice(start, Math.min(bytes.length, start + bytesPerChunk)));
  const model = createOpenAiCompatibleModel({
    model: "m",
    baseUrl: "http://localhost/v1",
    retries: 0,
    fetch: async () => new Response(ReadableStream.from(pieces)),
  });
  const deltas: ModelDelta[] = [];
  for await (const delta of model.stream({ messages: [] })) deltas.push(delta);
  const last = deltas.at(-1);
  if (last?.type !== "finish") throw new Error("The stream gave no `finish`.");
  return { deltas, last: last.response };
}

const chunk = (delta: object, more: object = {}): object => ({
  id: "r",
  choices: [{ index: 0, delta, ...more }],
});
const bare = (list: readonly ToolCall[]): unknown =>
  list.map(({ name, arguments: text }) => [name, JSON.parse(text)]);

describe("a stream of a compatible server", () => {
  it.each(Object.entries(shapes))("gives calls that come %s", async (_, shape) => {
    await fc.assert(
      fc.asyncProperty(calls, sizes, async (given, steps) => {
        const pieces = given.flatMap((one, index) => shape(one, index, cut(one.arguments, steps)));
        const chunks = pieces.map((piece) => chunk({ tool_calls: [piece] }));
        const { deltas, last } = await read([...chunks, chunk({}, { finish_reason: "stop" })]);
        expect(bare(last.toolCalls)).toEqual(bare(given));
        expect(new Set(last.toolCalls.map(({ id }) => id)).size).toBe(given.length);
        expect(last.toolCalls.every(({ id }) => id !== "")).toBe(true);
        expect(
          deltas.flatMap((delta) => (delta.type === "tool_call" ? [delta.toolCall] : [])),
        ).toEqual(last.toolCalls);
      }),
    );
  });

  it("says in its deltas what the answer says, wherever its bytes are cut", async () => {
    const noise = fc.constantFrom<object>(
      { id: "r", choices: null },
      { id: "r", choices: [] },
      { id: "r", choices: [{ index: 1, delta: { content: "other" } }] },
      { id: "r", choices: [{ index: 0, delta: null }] },
      { id: "r", choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } },
    );
    const words = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(
        words,
        fc.boolean(),
        fc.array(noise),
        fc.integer({ min: 1, max: 9 }),
        async (texts, isRepeated, others, size) => {
          const text = texts.join("");
          const said = texts.flatMap((content, index) => [
            ...others.slice(index, index + 1),
            chunk({ content }),
          ]);
          // Some servers end with the message as a whole.
          const message = { role: "assistant", content: text };
          const end = isRepeated
            ? { id: "r", choices: [{ index: 0, message, finish_reason: "stop" }] }
            : chunk({}, { finish_reason: "stop" });
          const { deltas, last } = await read([...others, ...said, end], size);
          const streamed = deltas.flatMap((delta) => (delta.type === "text" ? [delta.text] : []));
          expect([last.text, streamed.join("")]).toEqual([text, text]);
        },
      ),
    );
  });

  it.each<[string, object[], object]>([
    [
      "a name in pieces",
      [
        { index: 0, id: "a", ...fn("re", "") },
        { index: 0, ...fn("ad", "{}") },
      ],
      { id: "a", name: "read" },
    ],
    [
      "arguments before the name",
      [
        { index: 0, id: "a", ...fn(undefined, "{") },
        { index: 0, ...fn("read", "}") },
      ],
      { id: "a", name: "read" },
    ],
    [
      "an id after the name",
      [
        { index: 0, ...fn("read", "{") },
        { index: 0, id: "a", ...fn(undefined, "}") },
      ],
      { id: "a", name: "read" },
    ],
  ])("puts together %s", async (_, pieces, expected) => {
    const { last } = await read(pieces.map((piece) => chunk({ tool_calls: [piece] })));
    expect(last.toolCalls).toMatchObject([{ ...expected, arguments: "{}" }]);
  });

  it("reads a second call of a function whose calls have no ids", async () => {
    const pieces = ["", '{"p":', '"a"}', "", '{"p":"b"}'].map((text, at) => ({
      index: 0,
      ...fn(at % 3 === 0 ? "read" : undefined, text),
    }));
    const { last } = await read(pieces.map((piece) => chunk({ tool_calls: [piece] })));
    expect(last.toolCalls).toMatchObject([
      { name: "read", arguments: '{"p":"a"}' },
      { name: "read", arguments: '{"p":"b"}' },
    ]);
  });

  it("reads a call outside a list", async () => {
    const { last } = await read([chunk({ tool_calls: { id: "a", ...fn("read", "{}") } })]);
    expect(last.toolCalls).toEqual([{ id: "a", name: "read", arguments: "{}" }]);
  });

  it("tells calls apart that have neither ids nor indexes nor arguments", async () => {
    const pieces = ["now", "today"].map((name) => fn(name, ""));
    const { last } = await read(pieces.map((piece) => chunk({ tool_calls: [piece] })));
    expect(last.toolCalls.map(({ name }) => name)).toEqual(["now", "today"]);
  });

  it("takes no call twice that the whole message at the end spaces in its own way", async () => {
    const message = { tool_calls: [{ id: "a", ...fn("read", '{"p": 1}') }] };
    const { last } = await read([
      chunk({ tool_calls: [{ index: 0, id: "a", ...fn("read", '{"p":1}') }] }),
      { id: "r", choices: [{ index: 0, message, finish_reason: "tool_calls" }] },
    ]);
    expect(last.toolCalls).toEqual([{ id: "a", name: "read", arguments: '{"p":1}' }]);
  });

  it("reads every call of a whole message", async () => {
    const message = { tool_calls: [fn("read", '{"p":1}'), fn("read", '{"p":2}')] };
    const { last } = await read([{ id: "r", choices: [{ index: 0, message }] }]);
    expect(bare(last.toolCalls)).toEqual([
      ["read", { p: 1 }],
      ["read", { p: 2 }],
    ]);
  });

  it("reads a text that stands in the choice", async () => {
    const { last } = await read([{ id: "r", choices: [{ index: 0, text: "Hi" }] }]);
    expect(last.text).toBe("Hi");
  });

  it("reads the single call of older servers", async () => {
    const pieces = [{ name: "read", arguments: '{"p":' }, { arguments: "1}" }];
    const { last } = await read(pieces.map((piece) => chunk({ function_call: piece })));
    expect(last).toMatchObject({
      finishReason: "tool_calls",
      toolCalls: [{ id: "call_r_0", name: "read", arguments: '{"p":1}' }],
    });
  });
});
