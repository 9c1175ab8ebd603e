import type { ModelDelta, ModelRequest, StreamingModel } from "@ccl/core";
import { describe, expect, it, vi } from "vitest";

import { createAnthropicModel } from "../anthropic/index.ts";
import { createGeminiModel } from "../gemini/index.ts";
import { createOpenAiCompatibleModel } from "../openai-compatible/index.ts";

type Answer = () => Response | Promise<Response>;
const create = {
  openAi: (answer: Answer) =>
    createOpenAiCompatibleModel({
      model: "m",
      baseUrl: "http://localhost",
      fetch: async () => answer(),
      retries: 0,
    }),
  gemini: (answer: Answer) =>
    createGeminiModel({ model: "m", fetch: async () => answer(), retries: 0 }),
  anthropic: (answer: Answer) =>
    createAnthropicModel({
      model: "m",
      baseUrl: "http://localhost",
      fetch: async () => answer(),
      retries: 0,
    }),
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
      {
        code: "provider_error",
        message: "anthropic at http://localhost/v1/messages cut the answer off: Overloaded",
      },
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
    ["openAi", 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n', { code: "network_error" }],
    [
      "openAi",
      'data: {"detail":"Not Found"}\n\n',
      { message: expect.stringMatching(/Not Found$/) },
    ],
    ["openAi", 'data: {"message":"Busy","code":503}\n\n', { code: "provider_error" }],
    [
      "openAi",
      "data: [DONE]\n\n",
      { code: "provider_error", message: expect.stringMatching(/no answer/) },
    ],
    [
      "openAi",
      'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"choices":[{"delta":{},"finish_reason":"error"}]}\n\n',
      { code: "provider_error" },
    ],
    ["anthropic", 'data: {"error":{"message":"busy"}}\n\n', { code: "provider_error" }],
    [
      "gemini",
      'data: {"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}\n\n',
      { code: "provider_error", status: 503 },
    ],
    [
      "gemini",
      'data: {"promptFeedback":{"blockReason":"SAFETY"}}\n\n',
      { code: "content_filtered", message: expect.stringMatching(/blocked: SAFETY/) },
    ],
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

/** A body whose connection closes after these bytes. */
const brokenOff = (text: string): ReadableStream<Uint8Array> => {
  const pieces = [new TextEncoder().encode(text)];
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.pop();
      if (piece === undefined) controller.error(new TypeError("terminated"));
      else controller.enqueue(piece);
    },
  });
};

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
      () => new Response("<html><title>Bad gateway</title></html>", { status: 502 }),
      {
        code: "provider_error",
        message:
          'openai-compatible at http://localhost/chat/completions answered 502: an HTML page, "Bad gateway"',
      },
    ],
    [
      "anthropic",
      () => new Response("", { status: 413 }),
      { code: "invalid_request", status: 413 },
    ],
    [
      "openAi",
      () => new Response(brokenOff('{"error":{"mess'), { status: 401 }),
      { code: "authentication", status: 401 },
    ],
    ["gemini", () => Promise.reject(new TypeError("fetch failed")), { code: "network_error" }],
    [
      "openAi",
      () => Response.json({ detail: "Not Found" }),
      { message: expect.stringMatching(/Not Found$/) },
    ],
    [
      "openAi",
      () => Response.json({ choices: [] }),
      { message: expect.stringMatching(/no answer in \{"choices":\[\]\}$/) },
    ],
    [
      "anthropic",
      () => Response.json({ message: "Hm." }),
      { message: expect.stringMatching(/no answer in Hm\.$/) },
    ],
    [
      "gemini",
      () => Response.json({}),
      { code: "provider_error", message: expect.stringMatching(/no answer/) },
    ],
    [
      "gemini",
      () =>
        Response.json(
          [
            {
              error: {
                code: 429,
                message: "Slow.",
                details: [{ "@type": "RetryInfo", retryDelay: "1.5s" }],
              },
            },
          ],
          { status: 429 },
        ),
      { code: "rate_limited", retryAfterMs: 1500 },
    ],
    [
      "gemini",
      () => Response.json({ error: { code: 400, message: "API key not valid." } }, { status: 400 }),
      { code: "authentication" },
    ],
  ])("of %s that is strange fails as it should (%#)", async (name, answer, expected) => {
    await expect(create[name](answer).generate(request)).rejects.toMatchObject(expected);
  });

  it("of a failure is quoted cut, with a mark", async () => {
    const message = `${"x".repeat(5000)}`;
    const run = create
      .openAi(() => Response.json({ error: message }, { status: 400 }))
      .generate(request);
    await expect(run).rejects.toThrow(/ answered 400: x{400}\.\.\.\[TRUNCATED 4600 chars\]\.\.\.$/);
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

it.each([
  ["ollama", "http://localhost:11434/v1", "Ollama", undefined],
  ["groq", "https://api.groq.com/openai/v1", "Groq", "Bearer gsk-test"],
  ["openrouter", "https://openrouter.ai/api/v1", "OpenRouter", undefined],
] as const)("the preset %s has its address and its own key", async (preset, base, title, key) => {
  vi.stubEnv("GROQ_API_KEY", "gsk-test");
  const seen: unknown[] = [];
  const refuse: typeof fetch = async (url, init) => {
    seen.push([String(url), new Headers(init?.headers).get("authorization") ?? undefined]);
    throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
  };
  const open = (baseUrl?: string): StreamingModel =>
    createOpenAiCompatibleModel({ preset, model: "m", fetch: refuse, retries: 0, baseUrl });
  const { origin } = new URL(base);
  await expect(open().generate(request)).rejects.toMatchObject({
    code: "network_error",
    message: `The connection to ${preset} at ${base}/chat/completions failed; is ${title} running at ${origin}?`,
  });
  await open("http://localhost:9/v1")
    .generate(request)
    .catch(() => undefined);
  expect(seen).toEqual([
    [`${base}/chat/completions`, key],
    ["http://localhost:9/v1/chat/completions", undefined],
  ]);
  vi.unstubAllEnvs();
});

it("reads an answer whose content is a list of parts, whole and streamed", async () => {
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
    { type: "text", text: "a" },
    { type: "text", text: "b" },
  ];
  const usage = {
    prompt_tokens: 5,
    completion_tokens: 9,
    completion_tokens_details: { reasoning_tokens: 7 },
  };
  const body = { choices: [{ message: { content }, finish_reason: "stop" }], usage };
  const chunk = { choices: [{ delta: { content }, finish_reason: "stop" }], usage };
  const expected = {
    text: "ab",
    reasoning: "Hm.",
    usage: { inputTokens: 5, outputTokens: 9, reasoningTokens: 7 },
  };
  const whole = await create.openAi(() => Response.json(body)).generate(request);
  expect(whole).toMatchObject(expected);
  const events = new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  const deltas = await drained(create.openAi(() => events));
  expect(deltas.at(-1)).toMatchObject({ response: expected });
});

it.each([
  ["/elsewhere", "https://generativelanguage.googleapis.com/elsewhere"],
  ["https://user:secret@other.example/api/chat?key=secret", "https://other.example/api/chat"],
])("follows no redirect to %s, which would carry the key along", async (location, target) => {
  const calls: unknown[] = [];
  const redirect: typeof fetch = async (...call) => {
    calls.push(call);
    return new Response(null, { status: 307, headers: { location } });
  };
  const run = createGeminiModel({ model: "m", fetch: redirect }).generate(request);
  await expect(run).rejects.toMatchObject({
    code: "invalid_request",
    status: 307,
    message: `gemini at https://generativelanguage.googleapis.com/v1beta/models/m:generateContent redirects to ${target}, which would receive the key; set \`baseUrl\` to the final address.`,
  });
  expect(calls.length).toBe(1);
});

it.each(["openAi", "gemini", "anthropic"] as const)(
  "an answer of %s without an end is broken off at its limit",
  async (name) => {
    const mebibyte = new Uint8Array(1024 * 1024).fill(32);
    const pulled: number[] = [];
    const endless = (): Response =>
      new Response(
        new ReadableStream({
          pull(controller) {
            pulled.push(1);
            controller.enqueue(mebibyte);
          },
        }),
      );
    const expected = { code: "provider_error", message: expect.stringContaining("64 MiB") };
    await expect(create[name](endless).generate(request)).rejects.toMatchObject(expected);
    await expect(drained(create[name](endless))).rejects.toMatchObject(expected);
    expect(pulled.length).toBeLessThan(2 * 64 + 8);
  },
);

it("a request that is no JSON is refused", async () => {
  const run = create
    .openAi(() => new Response(""))
    .generate({ ...request, providerOptions: { n: 1n } });
  await expect(run).rejects.toMatchObject({ code: "invalid_request" });
});
