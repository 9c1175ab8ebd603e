import type { ModelDelta, StreamingModel } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createAnthropicModel } from "../anthropic/index.ts";
import type { EndpointOptions } from "../http/endpoint.ts";
import { createGeminiModel } from "../gemini/index.ts";
import { createOpenAiCompatibleModel } from "../openai-compatible/index.ts";
import { createOpenAiResponsesModel } from "../openai-responses/index.ts";
import { anthropicFormat } from "./anthropic-format.ts";
import type { DialectFormat } from "./dialect-format.ts";
import { geminiFormat } from "./gemini-format.ts";
import { openAiFormat } from "./openai-format.ts";
import { responsesFormat } from "./responses-format.ts";

const answer = fc.record({
  text: fc.string({ unit: "grapheme", maxLength: 20 }),
  reasoning: fc.string({ unit: "grapheme", maxLength: 6 }),
  refusal: fc.constant(""),
  toolCalls: fc.uniqueArray(
    fc.record({
      id: fc.string({ minLength: 1, maxLength: 4 }),
      name: fc.constantFrom("read", "list"),
      arguments: fc
        .dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 5 }))
        .map((value) => JSON.stringify(value)),
    }),
    // An id that stands twice is replaced.
    { maxLength: 2, selector: ({ id }) => id },
  ),
  finishReason: fc.constantFrom("stop" as const, "length" as const),
  usage: fc.constant({ inputTokens: 9, outputTokens: 3, cachedInputTokens: 2 }),
  extra: fc.constant({}),
});

const options = { model: "m", baseUrl: "http://localhost", retries: 0 };
const wires: [string, DialectFormat, (endpoint: EndpointOptions) => StreamingModel][] = [
  [
    "OpenAI",
    openAiFormat("openai"),
    (endpoint) => createOpenAiCompatibleModel({ ...options, ...endpoint }),
  ],
  [
    "OpenAI's responses",
    responsesFormat,
    (endpoint) => createOpenAiResponsesModel({ ...options, ...endpoint }),
  ],
  ["Gemini", geminiFormat, (endpoint) => createGeminiModel({ ...options, ...endpoint })],
  ["Anthropic", anthropicFormat, (endpoint) => createAnthropicModel({ ...options, ...endpoint })],
];

function pieces(
  bytes: Uint8Array<ArrayBuffer>,
  borders: readonly number[],
): Uint8Array<ArrayBuffer>[] {
  const places = [...new Set(borders.map((border) => border % (bytes.length + 1)))].sort(
    (a, b) => a - b,
  );
  return [...places, bytes.length].map((end, index) => bytes.slice(places[index - 1] ?? 0, end));
}

async function deltasOf(model: StreamingModel): Promise<ModelDelta[]> {
  const deltas: ModelDelta[] = [];
  for await (const delta of model.stream({ messages: [] })) deltas.push(delta);
  return deltas;
}

describe.each(wires)("a stream of %s", (_, format, create) => {
  const modelFor = (chunks: readonly Uint8Array<ArrayBuffer>[]): StreamingModel =>
    create({ fetch: async () => new Response(ReadableStream.from(chunks)) });
  const borders = fc.array(fc.nat({ max: 9000 }), { maxLength: 40 });

  it("gives the same deltas whatever the chunk borders", async () => {
    await fc.assert(
      fc.asyncProperty(answer, borders, async (played, places) => {
        const bytes = new TextEncoder().encode(format.toStream(played, {}).join(""));
        const whole = await deltasOf(modelFor([bytes]));
        expect(await deltasOf(modelFor(pieces(bytes, places)))).toEqual(whole);
        const texts = whole.flatMap((delta) => (delta.type === "text" ? [delta.text] : []));
        expect(texts.join("")).toBe(played.text);
        expect(whole.at(-1)).toMatchObject({
          type: "finish",
          response: { text: played.text, toolCalls: played.toolCalls },
        });
      }),
    );
  });

  it("never finishes when its end is missing", async () => {
    await fc.assert(
      fc.asyncProperty(
        answer,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (played, share) => {
          const frames = format.toStream(played, {});
          // All before the frame that says that the answer is whole.
          const end = frames.findIndex((frame) =>
            /"finish_reason":"|"stop_reason":"|"finishReason"|"type":"response.(?:completed|incomplete)"/.test(
              frame,
            ),
          );
          const text = frames.slice(0, end).join("") + (frames[end] ?? "").slice(0, 8);
          const bytes = new TextEncoder().encode(text);
          const cut = bytes.slice(0, Math.floor(bytes.length * share));
          await expect(deltasOf(modelFor([cut]))).rejects.toMatchObject({ code: "network_error" });
        },
      ),
    );
  });
});
