import type { LanguageModel, ModelRequest, ResponseFormat } from "@ccl/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createAnthropicModel } from "../anthropic/index.ts";
import { createGeminiModel } from "../gemini/index.ts";
import { createOpenAiCompatibleModel } from "../openai-compatible/index.ts";
import { startTestServer, type TestDialect, type TestServer } from "./index.ts";

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.close());

const schema = {
  type: "object",
  properties: { a: { type: "number" } },
  required: ["a"],
  additionalProperties: false,
};
const jsonSchema: ResponseFormat = { type: "json_schema", name: "answer", schema, strict: true };
const jsonObject: ResponseFormat = { type: "json_object" };
const ask = (responseFormat: ResponseFormat): ModelRequest => ({
  messages: [{ role: "user", content: "Hi" }],
  responseFormat,
});
const open = (dialect: TestDialect): LanguageModel => {
  const options = { model: "m", baseUrl: server.baseUrl(dialect), retries: 0 };
  if (dialect === "gemini") return createGeminiModel(options);
  return dialect === "anthropic"
    ? createAnthropicModel(options)
    : createOpenAiCompatibleModel(options);
};

describe("response formats", () => {
  it.each<[TestDialect, ResponseFormat, string, object]>([
    [
      "openai",
      jsonSchema,
      '{"a":1}',
      { response_format: { json_schema: { name: "answer", schema, strict: true } } },
    ],
    ["openai", jsonObject, '{"a":1}', { response_format: { type: "json_object" } }],
    ["openai", { type: "text" }, "prose", {}],
    ["lm-studio", jsonSchema, '{"a":1}', { response_format: { type: "json_schema" } }],
    ["ignores-format", jsonSchema, "prose", { response_format: { type: "json_schema" } }],
    [
      "gemini",
      jsonSchema,
      '{"a":1}',
      { generationConfig: { responseMimeType: "application/json", responseJsonSchema: schema } },
    ],
    [
      "gemini",
      jsonObject,
      '{"a":1}',
      { generationConfig: { responseMimeType: "application/json" } },
    ],
    [
      "anthropic",
      jsonSchema,
      '{"a":1}',
      { output_config: { format: { type: "json_schema", schema } } },
    ],
  ])("are asked of %s as it wants them: %j", async (dialect, format, text, body) => {
    server.enqueue({ type: "answer", text: "prose", json: { a: 1 } });
    expect((await open(dialect).generate(ask(format))).text).toBe(text);
    expect(server.calls[0]?.body).toMatchObject(body);
    expect(JSON.stringify(server.calls[0]?.body).includes('"text"')).toBe(
      dialect === "anthropic" || dialect === "gemini",
    );
  });

  it.each<[TestDialect, ResponseFormat]>([
    ["openai", jsonObject],
    ["openai", jsonSchema],
    ["lm-studio", jsonSchema],
    ["gemini", jsonSchema],
    ["anthropic", jsonSchema],
  ])("that %s refuses are unsupported_response_format", async (dialect, format) => {
    server.enqueue({ type: "error", status: 400, about: "response_format" });
    await expect(open(dialect).generate(ask(format))).rejects.toMatchObject({
      code: "unsupported_response_format",
    });
  });

  it("json_object is what LM Studio refuses by itself, and Anthropic's API has no word for", async () => {
    const code = "unsupported_response_format";
    await expect(open("lm-studio").generate(ask(jsonObject))).rejects.toMatchObject({ code });
    await expect(open("anthropic").generate(ask(jsonObject))).rejects.toMatchObject({ code });
    expect(server.calls.length).toBe(1);
  });

  it("a schema that OpenAI can't take is the caller's to fix, not an unsupported format", async () => {
    server.enqueue({ type: "error", status: 400, about: "schema" });
    await expect(open("openai").generate(ask(jsonSchema))).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  it.each<TestDialect>(["openai", "lm-studio", "gemini", "anthropic"])(
    "that %s was not asked for are none that it refuses",
    async (dialect) => {
      for (const request of [ask({ type: "text" }), { messages: ask(jsonObject).messages }]) {
        server.enqueue({ type: "error", status: 400, about: "response_format" });
        await expect(open(dialect).generate(request)).rejects.toMatchObject({
          code: "invalid_request",
        });
      }
    },
  );

  const talk = [
    "You exceeded the response_format quota: 'response_format.type' must be 'json_schema' or 'text'",
    "Unknown model json_schema; response_format json_object is not supported here",
    "output_config.format: Extra inputs are not permitted for key sk",
    "format is invalid",
    "This response_format type is unavailable now, since your quota is used up",
    "'response_format.type' must be 'json_schema' or 'text'. Your key has expired",
    "Invalid parameter: 'response_format' of type 'json_object' is not supported with this model. Nor is your plan.",
    'invalid format: expected "json" or a JSON schema; and the model was not found',
    "output_config.format: Extra inputs are not permitted. Upgrade your plan",
    "messages: response_format: Extra inputs are not permitted",
  ];
  it.each(
    (["openai", "lm-studio", "gemini", "anthropic"] as const).flatMap((dialect) =>
      talk.map((message): [TestDialect, string] => [dialect, message]),
    ),
  )("words of %s about formats make no refusal of one: %j", async (dialect, message) => {
    server.enqueue({ type: "error", status: 400, message });
    await expect(open(dialect).generate(ask(jsonSchema))).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  it.each<[TestDialect, number, string]>([
    ["lm-studio", 401, "authentication"],
    ["lm-studio", 429, "rate_limited"],
    ["gemini", 500, "provider_error"],
    ["anthropic", 429, "rate_limited"],
  ])("a refusal of %s with status %i is no refusal of a format", async (dialect, status, code) => {
    server.enqueue({ type: "error", status, about: "response_format" });
    await expect(open(dialect).generate(ask(jsonSchema))).rejects.toMatchObject({ code });
  });

  it.each<[object, string]>([
    [
      { error: { message: "x", param: "response_format", code: "unsupported_parameter" } },
      "unsupported_response_format",
    ],
    [
      { error: { message: "x", param: "response_format.type", code: "invalid_value" } },
      "unsupported_response_format",
    ],
    [
      { error: { message: "x", param: "response_format", code: "invalid_json_schema" } },
      "invalid_request",
    ],
    [
      { error: { message: "x", param: "response_format.json_schema.schema", code: null } },
      "invalid_request",
    ],
    [{ error: { message: "x", param: "messages", code: null } }, "invalid_request"],
    [
      {
        error: {
          message: "This response_format type is unavailable now",
          param: null,
          code: "invalid_request_error",
        },
      },
      "unsupported_response_format",
    ],
    [{ error: "'response_format.type' must be 'json_schema'" }, "unsupported_response_format"],
    [{ error: "This response_format type is unavailable now" }, "unsupported_response_format"],
    [
      { object: "error", message: "This response_format type is unavailable now", code: 400 },
      "unsupported_response_format",
    ],
    [
      { error: { message: "response_format `json_schema` is not supported by this model" } },
      "unsupported_response_format",
    ],
    [{ detail: "json_schema is not supported" }, "unsupported_response_format"],
    // Beside fields or words that say something else.
    [
      { error: { message: "This response_format type is unavailable now", type: "server_error" } },
      "invalid_request",
    ],
    [
      {
        error: { message: "This response_format type is unavailable now", code: "model_not_found" },
      },
      "invalid_request",
    ],
    [
      { error: { message: "This response_format type is unavailable now", param: "model" } },
      "invalid_request",
    ],
    [
      {
        error: {
          message:
            'response_format type must be one of "text" or "json_object", but got: json_schema',
          type: "invalid_request_error",
          code: 400,
        },
      },
      "unsupported_response_format",
    ],
    [{ error: "'response_format.json_schema' must be 'object'" }, "invalid_request"],
    [{ error: { message: "x", code: 429 } }, "rate_limited"],
    [
      { object: "error", message: "x", param: "response_format", code: 400 },
      "unsupported_response_format",
    ],
    [{ detail: "response_format" }, "invalid_request"],
    [{ error: { code: "content_filter", message: "x" } }, "content_filtered"],
  ])("the body %j with status 400 means %s", async (body, code) => {
    const model = createOpenAiCompatibleModel({
      baseUrl: "http://localhost/v1",
      model: "m",
      fetch: async () => Response.json(body, { status: 400 }),
    });
    await expect(model.generate(ask(jsonSchema))).rejects.toMatchObject({ code });
  });
});

it.each([
  ["response_format is not supported", "unsupported_response_format"],
  ["This server does not support structured outputs.", "unsupported_response_format"],
  ["response_format: your quota is used up", "invalid_request"],
  ["Bad request", "invalid_request"],
])("a refusal in plain text, %j, is %s", async (text, code) => {
  const fetch = async (): Promise<Response> => new Response(text, { status: 400 });
  const model = createOpenAiCompatibleModel({ baseUrl: "http://localhost/v1", model: "m", fetch });
  await expect(model.generate(ask(jsonSchema))).rejects.toMatchObject({ code });
});

describe("refusals", () => {
  it.each<[TestDialect, string, string]>([
    ["openai", "content_filter", ""],
    ["anthropic", "content_filter", "I can't."],
    ["gemini", "content_filter", "I can't."],
  ])("of %s finish as %s", async (dialect, finishReason, text) => {
    server.enqueue({ type: "refusal", text: "I can't." });
    const response = await open(dialect).generate(ask(jsonSchema));
    expect(response).toMatchObject({ finishReason, text });
    expect(JSON.stringify(response)).toContain("I can't.");
  });
});
