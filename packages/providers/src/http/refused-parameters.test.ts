import { type ModelRequest, type ModelResponse, type StreamingModel } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { createAnthropicModel } from "../anthropic/index.ts";
import { createOpenAiCompatibleModel } from "../openai-compatible/index.ts";

const request: ModelRequest = {
  messages: [{ role: "user", content: "Hi" }],
  temperature: 0.2,
  topP: 0.9,
  maxOutputTokens: 50,
};
const openAiAnswer = { choices: [{ message: { content: "ok" }, finish_reason: "stop" }] };
const anthropicAnswer = { content: [{ type: "text", text: "ok" }], stop_reason: "end_turn" };

/** A server that answers the calls whose body passes, and refuses the others with the error that the check gives. */
function serverOf(
  check: (body: Record<string, unknown>) => unknown,
  answer: object,
): { bodies: Record<string, unknown>[]; fetch: typeof fetch } {
  const bodies: Record<string, unknown>[] = [];
  return {
    bodies,
    async fetch(_, init) {
      const body: Record<string, unknown> = JSON.parse(String(init?.body));
      bodies.push(body);
      const error = check(body);
      return error === undefined ? Response.json(answer) : Response.json(error, { status: 400 });
    },
  };
}

const openAiError = (param: string, code: string, message: string): object => ({
  error: { message, type: "invalid_request_error", param, code },
});
const baseUrl = "http://localhost/v1";
const pathsOf = ({ warnings = [] }: ModelResponse): unknown => warnings.map(({ path }) => path[0]);
const open = (fetcher: typeof fetch, model = "m"): StreamingModel =>
  createOpenAiCompatibleModel({ baseUrl, model, fetch: fetcher });

describe("a parameter that a model refuses", () => {
  it("is left out after the refusal, remembered and reported", async () => {
    const server = serverOf(
      (body) =>
        "temperature" in body
          ? openAiError(
              "temperature",
              "unsupported_value",
              "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
            )
          : undefined,
      openAiAnswer,
    );
    const model = open(server.fetch);
    expect(pathsOf(await model.generate(request))).toEqual(["temperature"]);
    expect(pathsOf(await model.generate(request))).toEqual(["temperature"]);
    expect(server.bodies.map((body) => "temperature" in body)).toEqual([true, false, false]);
    expect(server.bodies[2]).toMatchObject({ top_p: 0.9, max_tokens: 50 });
  });

  it.each([
    "Argument not supported on this model: topP",
    '{"detail":[{"type":"extra_forbidden","loc":["body","top_p"],"msg":"Extra inputs are not permitted"}]}',
    'Unknown name "top_p": Cannot find field.',
  ])("is found in the words %j", async (words) => {
    const bodies: string[] = [];
    const model = open(async (_, init) => {
      bodies.push(String(init?.body));
      return bodies.length > 1 ? Response.json(openAiAnswer) : new Response(words, { status: 422 });
    });
    expect(pathsOf(await model.generate(request))).toEqual(["top_p"]);
  });

  it("moves the limit of tokens to its other name, without a warning", async () => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    const server = serverOf(
      (body) =>
        "max_tokens" in body
          ? openAiError("max_tokens", "unsupported_parameter", message)
          : undefined,
      openAiAnswer,
    );
    expect((await open(server.fetch).generate(request)).warnings).toBeUndefined();
    expect(server.bodies[1]).toMatchObject({ max_completion_tokens: 50 });
  });

  it("keeps one of a pair that Anthropic takes only one of", async () => {
    const message =
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.";
    const server = serverOf(
      (body) =>
        "temperature" in body && "top_p" in body
          ? { type: "error", error: { type: "invalid_request_error", message } }
          : undefined,
      anthropicAnswer,
    );
    const model = createAnthropicModel({ baseUrl, model: "m", fetch: server.fetch });
    expect(pathsOf(await model.generate(request))).toEqual(["top_p"]);
    expect(server.bodies[1]).toMatchObject({ temperature: 0.2 });
  });

  it("is left out where the format has no place for it, without a call that fails", async () => {
    const server = serverOf(() => undefined, anthropicAnswer);
    const model = createAnthropicModel({ baseUrl, model: "m", fetch: server.fetch });
    const { messages } = request;
    const asked = { messages, seed: 1, presencePenalty: 0.5, frequencyPenalty: 0 };
    expect(pathsOf(await model.generate(asked))).toEqual(["presence_penalty", "seed"]);
    expect(Object.keys(server.bodies[0] ?? {})).toEqual(["model", "max_tokens", "messages"]);
  });

  it.each(["o3-mini", "openai/o1", "gpt-5", "gpt-5-mini"])(
    "needs no refusal for %s",
    async (name) => {
      const server = serverOf(() => undefined, openAiAnswer);
      const response = await open(server.fetch, name).generate(request);
      expect(pathsOf(response)).toEqual(["temperature", "top_p"]);
      expect(server.bodies).toEqual([
        { model: name, messages: request.messages, max_completion_tokens: 50 },
      ]);
    },
  );

  it.each(["gpt-4o", "gpt-5-chat-latest", "gpt-5.2", "llama-o3"])("is sent to %s", async (name) => {
    const server = serverOf(() => undefined, openAiAnswer);
    expect((await open(server.fetch, name).generate(request)).warnings).toBeUndefined();
    expect(server.bodies[0]).toMatchObject({ temperature: 0.2, top_p: 0.9, max_tokens: 50 });
  });

  it.each([
    openAiError("temperature", "decimal_above_max_value", "Invalid 'temperature': expected <= 2."),
    openAiError("messages", "invalid_value", "The temperature of this message is not right."),
    { error: { message: "You exceeded your quota." } },
  ])("is no wrong value, and no other error: %j", async (error) => {
    const server = serverOf(() => error, openAiAnswer);
    const run = open(server.fetch).generate(request);
    await expect(run).rejects.toMatchObject({ code: "invalid_request", status: 400 });
    expect(server.bodies.length).toBe(1);
  });
});
