import type { ModelDelta, ModelRequest } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { createAnthropicModel } from "../anthropic/index.ts";
import { createOllamaModel } from "../ollama/index.ts";
import { createOpenAiCompatibleModel } from "../openai-compatible/index.ts";
import type { StreamingModel } from "./create-wire-model.ts";

type Answer = () => Response | Promise<Response>;
const create = {
  openAi: (answer: Answer) =>
    createOpenAiCompatibleModel({
      model: "m",
      baseUrl: "http://localhost",
      fetch: async () => answer(),
    }),
  ollama: (answer: Answer) => createOllamaModel({ model: "m", fetch: async () => answer() }),
  anthropic: (answer: Answer) =>
    createAnthropicModel({ model: "m", baseUrl: "http://localhost", fetch: async () => answer() }),
};
const request: ModelRequest = { messages: [{ role: "user", content: "Hi" }] };

async function drained(model: StreamingModel): Promise<ModelDelta[]> {
  const deltas: ModelDelta[] = [];
  for await (const delta of model.stream(request)) deltas.push(delta);
  return deltas;
}

describe("a stream", () => {
  it.each<[keyof typeof create, string, object]>([
    [
      "anthropic",
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      { code: "provider_error", message: "anthropic broke the answer off: Overloaded" },
    ],
    [
      "anthropic",
      'data: {"type":"error","error":{"type":"rate_limit_error","message":"Slow"}}\n\n',
      { code: "rate_limited" },
    ],
    [
      "openAi",
      'data: {"error":{"message":"busy","code":502}}\n\n',
      { code: "provider_error", status: 502 },
    ],
    ["openAi", 'data: {"error":{"message":"slow","code":429}}\n\n', { code: "rate_limited" }],
    ["openAi", "data: no json\n\n", { code: "provider_error" }],
    [
      "openAi",
      'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n',
      { code: "network_error" },
    ],
    ["ollama", '{"error":"out of memory"}\n', { code: "provider_error" }],
  ])("of %s that holds %j fails with %o", async (name, text, expected) => {
    await expect(drained(create[name](() => new Response(text)))).rejects.toMatchObject(expected);
  });

  it("is whole with its reason, even without [DONE], and its tool calls need no indexes", async () => {
    const chunk = (delta: object, reason: string | null): string =>
      `data: ${JSON.stringify({ choices: [{ delta, finish_reason: reason }] })}\n\n`;
    const call = (id: string, text: string): object => ({
      id,
      function: { name: "read", arguments: text },
    });
    const text =
      chunk({ tool_calls: [call("a", "{")] }, null) +
      chunk({ tool_calls: [{ function: { arguments: "}" } }] }, null) +
      chunk({ tool_calls: [call("b", "{}")] }, "tool_calls");
    const toolCalls = ["a", "b"].map((id) => ({ id, name: "read", arguments: "{}" }));
    const deltas = await drained(create.openAi(() => new Response(text)));
    expect(deltas.at(-1)).toMatchObject({ response: { toolCalls, finishReason: "tool_calls" } });
  });
});

describe("an answer", () => {
  it.each<[keyof typeof create, Answer, object]>([
    ["openAi", () => new Response("<html>"), { code: "provider_error" }],
    [
      "openAi",
      () => Response.json({ error: { message: "slow", code: 429 } }),
      { code: "rate_limited", status: 429 },
    ],
    [
      "openAi",
      () => new Response("<html>Bad gateway</html>", { status: 502 }),
      {
        code: "provider_error",
        message: "openai-compatible answered 502: a body that is not one of its errors",
      },
    ],
    [
      "anthropic",
      () => new Response("", { status: 413 }),
      { code: "invalid_request", status: 413 },
    ],
    ["ollama", () => Promise.reject(new TypeError("fetch failed")), { code: "network_error" }],
  ])("of %s that is strange fails as it should (%#)", async (name, answer, expected) => {
    await expect(create[name](answer).generate(request)).rejects.toMatchObject(expected);
  });

  it("of a failure is quoted cut, with a mark", async () => {
    const message = `${"x".repeat(5000)}`;
    const run = create
      .ollama(() => Response.json({ error: message }, { status: 400 }))
      .generate(request);
    await expect(run).rejects.toThrow(
      /^ollama answered 400: x{400}\.\.\.\[TRUNCATED 4600 chars\]\.\.\.$/,
    );
  });

  it("keeps tool arguments that are an object, and cached counts by either name", async () => {
    const body = {
      choices: [
        {
          message: {
            content: null,
            tool_calls: [{ id: "a", function: { name: "f", arguments: { x: 1 } } }],
          },
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 1, prompt_cache_hit_tokens: 4, cost: 0.25 },
    };
    expect(await create.openAi(() => Response.json(body)).generate(request)).toMatchObject({
      toolCalls: [{ id: "a", name: "f", arguments: '{"x":1}' }],
      finishReason: "tool_calls",
      usage: { inputTokens: 5, outputTokens: 1, cachedInputTokens: 4, costUsd: 0.25 },
    });
  });
});

it("follows no redirect, which would carry the key to another address", async () => {
  const seen: unknown[] = [];
  const watch: typeof fetch = async (_, init) => {
    seen.push(init?.redirect);
    return Response.json({ message: { content: "ok" }, done: true });
  };
  await createOllamaModel({ model: "m", fetch: watch }).generate(request);
  expect(seen).toEqual(["error"]);
});

it("a request that is no JSON is refused", async () => {
  const run = create
    .openAi(() => new Response(""))
    .generate({ ...request, providerOptions: { n: 1n } });
  await expect(run).rejects.toMatchObject({ code: "invalid_request" });
});
