import type { ModelRequest, StreamingModel } from "@ccl/core";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startTestServer, type TestServer } from "../testing/index.ts";
import { createOpenAiResponsesModel } from "./index.ts";

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.close());
const open = (model = "m"): StreamingModel =>
  createOpenAiResponsesModel({ model, baseUrl: server.baseUrl("openai-responses"), retries: 0 });
const question: ModelRequest = { messages: [{ role: "user", content: "Hi" }] };
const schema = { type: "object", properties: {}, additionalProperties: false };

/** A model whose server streams these events. */
const playing = (...events: object[]): StreamingModel =>
  createOpenAiResponsesModel({
    model: "m",
    baseUrl: "http://localhost/v1",
    retries: 0,
    fetch: async () =>
      new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")),
  });
const drained = async (model: StreamingModel): Promise<unknown> => {
  const deltas = [];
  for await (const delta of model.stream(question)) deltas.push(delta);
  return deltas.at(-1);
};

const weather = (id: string, input: string): object => ({
  type: "function_call",
  id: `f${id}`,
  call_id: id,
  name: "weather",
  arguments: input,
});
const said = (text: string): object => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});
const end = (...output: object[]): object => ({
  type: "response.completed",
  response: { status: "completed", output },
});
const partEvent = (step: string, text: string): object => ({
  type: `response.content_part.${step}`,
  output_index: 0,
  content_index: 0,
  part: { type: "output_text", text },
});

describe("createOpenAiResponsesModel", () => {
  it("asks for tools, a format and a limit, and leaves out what the API does not have", async () => {
    server.enqueue({ type: "answer", text: "prose", json: { a: 1 } });
    const response = await open("o3").generate({
      ...question,
      tools: [{ name: "read", description: "Reads.", inputSchema: schema }],
      toolChoice: { name: "read" },
      responseFormat: { type: "json_schema", name: "answer", schema, strict: true },
      maxOutputTokens: 50,
      seed: 7,
      providerOptions: { reasoning: { effort: "low" } },
    });
    expect(server.calls[0]?.body).toEqual({
      model: "o3",
      input: [{ role: "user", content: "Hi" }],
      tools: [
        {
          type: "function",
          name: "read",
          description: "Reads.",
          parameters: schema,
          strict: false,
        },
      ],
      tool_choice: { type: "function", name: "read" },
      text: { format: { type: "json_schema", name: "answer", schema, strict: true } },
      max_output_tokens: 50,
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "low" },
    });
    expect(response).toMatchObject({ text: '{"a":1}', warnings: [{ path: ["seed"] }] });
  });

  it("gives the reasoning back with the conversation", async () => {
    server.enqueue(
      { type: "answer", text: "Yes.", reasoning: "Hm." },
      { type: "answer", text: "ok" },
    );
    const { text, providerMetadata } = await open().generate(question);
    await open().generate({
      messages: [...question.messages, { role: "assistant", content: text, providerMetadata }],
    });
    expect(server.calls[1]?.body["input"]).toMatchObject([
      { role: "user" },
      { type: "reasoning", id: "rs_test" },
      { role: "assistant" },
    ]);
  });

  it.each([
    [{ type: "error", code: "server_error", message: "Oops." }, "provider_error"],
    [{ type: "error", code: "rate_limit_exceeded", message: "Slow." }, "rate_limited"],
    [
      {
        type: "response.failed",
        response: { status: "failed", error: { code: "server_error", message: "Oops." } },
      },
      "provider_error",
    ],
    [{ type: "response.output_text.delta", delta: "a" }, "network_error"],
  ])("takes a stream with %j for %s", async (event, code) => {
    await expect(drained(playing(event))).rejects.toMatchObject({ code });
  });

  it("puts the answer together from its items where the end does not repeat them", async () => {
    const call = { type: "function_call", id: "f", call_id: "c", name: "read", arguments: "{}" };
    const last = await drained(
      playing(
        { type: "response.output_item.done", output_index: 0, item: call },
        {
          type: "response.completed",
          response: {
            status: "completed",
            output: [],
            usage: {
              input_tokens: 5,
              output_tokens: 9,
              output_tokens_details: { reasoning_tokens: 7 },
            },
          },
        },
      ),
    );
    expect(last).toMatchObject({
      response: {
        toolCalls: [{ id: "c", name: "read", arguments: "{}" }],
        usage: { inputTokens: 5, outputTokens: 9, reasoningTokens: 7 },
      },
    });
  });

  it.each<[string, object[], [id: string, input: string][]]>([
    [
      "two calls with one index",
      [
        { type: "response.output_item.done", output_index: 0, item: weather("a", '{"n":1}') },
        { type: "response.output_item.done", output_index: 0, item: weather("b", '{"n":2}') },
        end(),
      ],
      [
        ["a", '{"n":1}'],
        ["b", '{"n":2}'],
      ],
    ],
    [
      "a call whose arguments only their own event completes",
      [
        { type: "response.output_item.added", output_index: 0, item: weather("a", "") },
        {
          type: "response.function_call_arguments.done",
          output_index: 0,
          arguments: '{"n":1}',
        },
        end(weather("a", "")),
      ],
      [["a", '{"n":1}']],
    ],
    [
      "a call that only pieces of its arguments complete",
      [
        { type: "response.output_item.added", output_index: 0, item: weather("a", "") },
        { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"n"' },
        { type: "response.function_call_arguments.delta", output_index: 0, delta: ":1}" },
        end(),
      ],
      [["a", '{"n":1}']],
    ],
    [
      "pieces that name their call by its id alone",
      [
        { type: "response.output_item.added", output_index: 0, item: weather("a", "") },
        { type: "response.output_item.added", output_index: 0, item: weather("b", "") },
        { type: "response.function_call_arguments.delta", call_id: "a", delta: '{"n":1}' },
        { type: "response.function_call_arguments.delta", call_id: "b", delta: '{"n":2}' },
        end(),
      ],
      [
        ["a", '{"n":1}'],
        ["b", '{"n":2}'],
      ],
    ],
    [
      "a call that its own end gives without its arguments",
      [
        { type: "response.output_item.added", output_index: 0, item: weather("a", "") },
        { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"n":1}' },
        { type: "response.output_item.done", output_index: 0, item: weather("a", "") },
        end(),
      ],
      [["a", '{"n":1}']],
    ],
    [
      "a call that the last event leaves out",
      [
        { type: "response.output_item.done", output_index: 0, item: weather("a", '{"n":1}') },
        end(said("Hi")),
      ],
      [["a", '{"n":1}']],
    ],
    [
      "a call that only the last event completes",
      [
        { type: "response.output_item.added", output_index: 0, item: weather("a", "") },
        { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"n"' },
        end(weather("a", '{"n":1}')),
      ],
      [["a", '{"n":1}']],
    ],
  ])("reads %s", async (_name, events, calls) => {
    expect(await drained(playing(...events))).toMatchObject({
      response: { toolCalls: calls.map(([id, input]) => ({ id, arguments: input })) },
    });
  });

  it.each<[string, object[]]>([
    ["only as a whole", [{ type: "response.output_text.done", output_index: 0, text: "Hello" }]],
    ["only as a whole part", [partEvent("done", "Hello")]],
    [
      "whose part ends with more than its pieces",
      [
        partEvent("added", ""),
        { type: "response.output_text.delta", output_index: 0, delta: "Hel" },
        partEvent("done", "Hello"),
      ],
    ],
    [
      "with an end that its pieces lack",
      [
        { type: "response.output_text.delta", output_index: 0, delta: "Hel" },
        { type: "response.output_text.done", output_index: 0, text: "Hello" },
      ],
    ],
    [
      "with pieces after its end",
      [
        { type: "response.output_text.delta", output_index: 0, delta: "Hel" },
        { type: "response.output_text.done", output_index: 0, text: "Hel" },
        { type: "response.output_item.done", output_index: 0, item: said("Hel") },
        { type: "response.output_text.delta", output_index: 0, delta: "lo" },
      ],
    ],
    [
      "that its end gives as empty",
      [
        { type: "response.output_text.delta", output_index: 0, delta: "Hello" },
        { type: "response.output_text.done", output_index: 0, text: "" },
        { type: "response.output_item.done", output_index: 0, item: said("") },
      ],
    ],
    ["only in its item", [{ type: "response.output_item.done", item: said("Hello") }]],
  ])("reads a text %s", async (_name, events) => {
    const last = await drained(playing(...events, end()));
    expect(last).toMatchObject({ response: { text: "Hello" } });
    expect(last).not.toHaveProperty("response.warnings");
  });

  it("knows a refusal that came in pieces alone", async () => {
    const events = [{ type: "response.refusal.delta", output_index: 0, delta: "No." }, end()];
    expect(await drained(playing(...events))).toMatchObject({
      response: { text: "No.", finishReason: "content_filter" },
    });
  });

  it("plays a server that the official client understands", async () => {
    server.enqueue({ type: "answer", text: "Привет", chunkBytes: 5 });
    const baseURL = server.baseUrl("openai-responses");
    const client = new OpenAI({ apiKey: "sk-test", baseURL, maxRetries: 0 });
    const stream = client.responses.stream({ model: "m", input: "Hi" });
    expect((await stream.finalResponse()).output_text).toBe("Привет");
  });
});
