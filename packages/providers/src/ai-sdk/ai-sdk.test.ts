import { createOpenAICompatible as createVersion3 } from "@ai-sdk/openai-compatible";
import { createOpenAICompatible as createVersion2 } from "@ai-sdk/openai-compatible-v1";
import { LanguageModelError, type ModelDelta, type ModelRequest } from "@ccl/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { startTestServer, type TestBehaviour, type TestServer } from "../testing/index.ts";
import { createAiSdkEmbedder, createAiSdkModel } from "./index.ts";

const apiKey = "sk-test-0123456789abcdefghijABCDEFGHIJ";
let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ apiKey });
});
afterEach(() => server.close());

const question: ModelRequest = { messages: [{ role: "user", content: "Привет" }] };
const settings = (): {
  name: string;
  baseURL: string;
  apiKey: string;
  supportsStructuredOutputs: boolean;
  includeUsage: boolean;
} => ({
  name: "test",
  baseURL: server.baseUrl("openai"),
  apiKey,
  supportsStructuredOutputs: true,
  includeUsage: true,
});

const versions = [
  [
    "v2",
    () => createVersion2(settings())("m"),
    () => createVersion2(settings()).textEmbeddingModel("m"),
  ],
  [
    "v3",
    () => createVersion3(settings())("m"),
    () => createVersion3(settings()).textEmbeddingModel("m"),
  ],
] as const;

describe.each(versions)(
  "a real AI SDK provider of interface %s",
  (version, model, embeddingModel) => {
    const open = (): ReturnType<typeof createAiSdkModel> =>
      createAiSdkModel({ model: model(), retries: 0 });
    const failureOf = async (
      behaviour: TestBehaviour,
      request = question,
    ): Promise<LanguageModelError> => {
      server.enqueue(behaviour, behaviour);
      const whole: unknown = await open()
        .generate(request)
        .catch((error: unknown) => error);
      const drained = async (): Promise<void> => {
        for await (const delta of open().stream(request)) expect(delta.type).not.toBe("finish");
      };
      const streamed: unknown = await drained().catch((error: unknown) => error);
      expect(streamed).toMatchObject({ name: "LanguageModelError" });
      if (!LanguageModelError.isInstance(whole))
        throw new Error("No LanguageModelError was thrown.");
      return whole;
    };

    it("is of that version", () => {
      expect(model().specificationVersion).toBe(version);
    });

    it("gives the same answer whole and streamed", async () => {
      const toolCalls = [{ id: "call_a", name: "read", arguments: '{"path":"мир"}' }];
      const usage = { inputTokens: 12, outputTokens: 7, cachedInputTokens: 4 };
      const answer: TestBehaviour = {
        type: "answer",
        text: "世界 👋",
        reasoning: "Hm.",
        toolCalls,
        usage,
        chunkBytes: 11,
      };
      server.enqueue(answer, answer);
      const whole = await open().generate(question);
      expect(whole).toMatchObject({
        text: "世界 👋",
        reasoning: "Hm.",
        toolCalls,
        finishReason: "tool_calls",
        usage,
      });
      const deltas: ModelDelta[] = [];
      for await (const delta of open().stream(question)) deltas.push(delta);
      const last = deltas.at(-1);
      const { providerMetadata: _, ...expected } = whole;
      expect(last?.type === "finish" && last.response).toMatchObject(expected);
      expect(deltas.flatMap((delta) => (delta.type === "text" ? [delta.text] : [])).join("")).toBe(
        "世界 👋",
      );
    });

    it("sends a conversation with tools, results and an image, and the format", async () => {
      server.enqueue({ type: "answer", json: { a: 1 } });
      const schema = { type: "object", properties: { a: { type: "number" } } };
      const response = await open().generate({
        messages: [
          { role: "developer", content: "Be brief." },
          {
            role: "user",
            content: [{ type: "image", mimeType: "image/png", data: Uint8Array.of(1, 2, 3) }],
          },
          {
            role: "assistant",
            content: "",
            toolCalls: [{ id: "c", name: "read", arguments: '{"path":"a"}' }],
          },
          { role: "tool", toolCallId: "c", content: "no such file", isError: true },
        ],
        responseFormat: { type: "json_schema", name: "answer", schema },
        temperature: 0,
      });
      expect(response.text).toBe('{"a":1}');
      expect(server.calls[0]?.body).toMatchObject({
        messages: [
          { role: "system", content: "Be brief." },
          {
            role: "user",
            content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AQID" } }],
          },
          {
            role: "assistant",
            tool_calls: [{ id: "c", function: { name: "read", arguments: '{"path":"a"}' } }],
          },
          { role: "tool", tool_call_id: "c", content: "no such file" },
        ],
        response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
        temperature: 0,
      });
    });

    it("names media of a tool that an interface has no place for, and sends arguments that do not parse", async () => {
      server.enqueue({ type: "answer", text: "ok" });
      const png = { type: "image" as const, mimeType: "image/png", data: Uint8Array.of(1, 2, 3) };
      await open().generate({
        messages: [
          { role: "user", content: "Go" },
          {
            role: "assistant",
            content: "",
            toolCalls: [{ id: "c", name: "read", arguments: "{broken" }],
          },
          {
            role: "tool",
            toolCallId: "c",
            content: [{ type: "text", text: "failed" }, png],
            isError: true,
          },
        ],
      });
      expect(server.calls[0]?.body).toMatchObject({
        messages: [
          {},
          { tool_calls: [{ function: { arguments: '{"INVALID_JSON":"{broken"}' } }] },
          { role: "tool", content: expect.stringMatching(/\[The tool failed\.\].*failed/) },
        ],
      });
    });

    it.each<[TestBehaviour, object]>([
      [{ type: "error", status: 401 }, { code: "authentication" }],
      [
        { type: "error", status: 429, retryAfter: "3" },
        { code: "rate_limited", retryAfterMs: 3000 },
      ],
      [
        { type: "error", status: 400, about: "response_format" },
        { code: "unsupported_response_format" },
      ],
      [{ type: "error", status: 400, about: "schema" }, { code: "invalid_request" }],
      [
        { type: "error", status: 400, about: "context_length" },
        { code: "context_length_exceeded" },
      ],
      [
        { type: "error", status: 500 },
        { code: "provider_error", status: 500 },
      ],
    ])("turns %o into %o, with one call and without the request", async (behaviour, expected) => {
      const error = await failureOf(behaviour, {
        ...question,
        responseFormat: { type: "json_object" },
      });
      expect(error).toMatchObject(expected);
      expect([server.calls.length, error.cause]).toEqual([2, undefined]);
    });

    it("sees no refusal of a format that was not asked for", async () => {
      const error = await failureOf({ type: "error", status: 400, about: "response_format" });
      expect(error).toMatchObject({ code: "invalid_request" });
    });

    it("stops at the time limit", async () => {
      expect(await failureOf({ type: "hang" }, { ...question, timeoutMs: 60 })).toMatchObject({
        code: "timeout",
      });
    });

    it("embeds in order", async () => {
      const embedder = createAiSdkEmbedder({ model: embeddingModel(), dimensions: 8 });
      expect((await embedder.embed(["a", "aa", "aaa"])).map((vector) => vector[1])).toEqual([
        1, 2, 3,
      ]);
      const wrong = createAiSdkEmbedder({ model: embeddingModel(), dimensions: 3 });
      await expect(wrong.embed(["a"])).rejects.toMatchObject({ code: "provider_error" });
    });
  },
);

it.each(versions)("calls a server that is not there a network error (%s)", async (_, model) => {
  const asked = model();
  await server.close();
  const error: unknown = await createAiSdkModel({ model: asked })
    .generate(question)
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "network_error" });
  expect(
    JSON.stringify(Object.entries(error instanceof Error ? (error.cause ?? {}) : {})),
  ).not.toContain("Привет");
});

it("refuses a model whose interface it does not know", async () => {
  const known = createVersion3(settings())("m");
  const { provider, modelId } = known;
  const model = createAiSdkModel({
    model: {
      specificationVersion: "v9",
      provider,
      modelId,
      doGenerate: () => Promise.reject(new Error("called")),
      doStream: () => Promise.reject(new Error("called")),
    },
  });
  const run = model.generate({ messages: [{ role: "user", content: "Hi" }] });
  await expect(run).rejects.toMatchObject({
    code: "invalid_request",
    cause: { code: "unsupported_version" },
  });
});
