import type {
  ChatMessage,
  LanguageModel,
  MediaPart,
  ModelDelta,
  ModelRequest,
  Part,
  ToolDefinition,
} from "@ccl/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createAiSdkModel } from "../ai-sdk/index.ts";
import { createAnthropicModel } from "../anthropic/index.ts";
import { createGeminiModel } from "../gemini/index.ts";
import {
  createOpenAiCompatibleModel,
  type OpenAiCompatibleOptions,
} from "../openai-compatible/index.ts";
import { createOpenAiResponsesModel } from "../openai-responses/index.ts";
import { startTestServer, type TestServer } from "./index.ts";

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ script: [{ type: "answer", text: "ok" }] });
});
afterEach(() => server.close());

const openAi = (options: Partial<OpenAiCompatibleOptions> = {}): LanguageModel =>
  createOpenAiCompatibleModel({ model: "m", baseUrl: server.baseUrl("openai"), ...options });
const gemini = (): LanguageModel =>
  createGeminiModel({ model: "gemini-3-pro", baseUrl: server.baseUrl("gemini") });
const anthropic = (marksPromptCache = false): LanguageModel =>
  createAnthropicModel({ model: "m", baseUrl: server.baseUrl("anthropic"), marksPromptCache });
const responses = (): LanguageModel =>
  createOpenAiResponsesModel({ model: "m", baseUrl: server.baseUrl("openai-responses") });
const aiSdk = (): LanguageModel => {
  const provider = createOpenAICompatible({ name: "test", baseURL: server.baseUrl("openai") });
  return createAiSdkModel({ model: provider("m") });
};
const models = { openAi, gemini, anthropic, responses, aiSdk };

const png = { type: "image" as const, mimeType: "image/png", data: Uint8Array.of(1, 2, 3) };
const tool: ToolDefinition = {
  name: "read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  execute: async () => "",
};
const conversation: ModelRequest = {
  messages: [
    { role: "system", content: "Be brief.", source: "pack", id: "1" },
    { role: "developer", content: "Use tools." },
    { role: "user", content: [{ type: "text", text: "What is this?" }, png] },
    {
      role: "assistant",
      content: "",
      toolCalls: [
        { id: "c1", name: "read", arguments: '{"path":"a"}' },
        { id: "c2", name: "read", arguments: "" },
      ],
    },
    { role: "tool", toolCallId: "c1", content: "A" },
    { role: "tool", toolCallId: "c2", content: "no path", isError: true },
    { role: "user", content: "Go on." },
  ],
  tools: [tool],
  temperature: 0,
  topP: 1,
  topK: 40,
  frequencyPenalty: 0,
  presencePenalty: 0,
  stop: ["END"],
  maxOutputTokens: 100,
};

async function bodyOf(model: LanguageModel, request: ModelRequest): Promise<unknown> {
  await model.generate(request);
  return server.calls.at(-1)?.body;
}

const wireTool = { name: "read", description: "Reads a file.", parameters: tool.inputSchema };

describe("one conversation", () => {
  it("as OpenAI's body", async () => {
    const call = (id: string, text: string): object => ({
      id,
      type: "function",
      function: { name: "read", arguments: text },
    });
    expect(
      await bodyOf(openAi(), { ...conversation, seed: 7, toolChoice: { name: "read" } }),
    ).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "system", content: "Use tools." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
          ],
        },
        {
          role: "assistant",
          content: null,
          tool_calls: [call("c1", '{"path":"a"}'), call("c2", "")],
        },
        { role: "tool", tool_call_id: "c1", content: "A" },
        { role: "tool", tool_call_id: "c2", content: "no path" },
        { role: "user", content: "Go on." },
      ],
      tools: [{ type: "function", function: wireTool }],
      tool_choice: { type: "function", function: { name: "read" } },
      temperature: 0,
      top_p: 1,
      top_k: 40,
      frequency_penalty: 0,
      presence_penalty: 0,
      seed: 7,
      stop: ["END"],
      max_tokens: 100,
    });
  });

  it("as Gemini's body, with results in one turn and calls of other models marked as such", async () => {
    const call = (id: string, args: object): object => ({
      functionCall: { id, name: "read", args },
    });
    const result = (id: string, response: object): object => ({
      functionResponse: { id, name: "read", response },
    });
    const providerOptions = { generationConfig: { topK: 20 }, safetySettings: [] };
    const toolChoice = { name: "read" };
    expect(
      await bodyOf(gemini(), { ...conversation, seed: 7, toolChoice, providerOptions }),
    ).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }, { text: "Use tools." }] },
      contents: [
        {
          role: "user",
          parts: [
            { text: "What is this?" },
            { inlineData: { mimeType: "image/png", data: "AQID" } },
          ],
        },
        {
          role: "model",
          parts: [
            {
              ...call("c1", { path: "a" }),
              thoughtSignature: "skip_thought_signature_validator",
            },
            call("c2", {}),
          ],
        },
        {
          role: "user",
          parts: [
            result("c1", { output: "A" }),
            result("c2", { error: "no path" }),
            { text: "Go on." },
          ],
        },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: "read", description: "Reads a file.", parametersJsonSchema: tool.inputSchema },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["read"] } },
      generationConfig: {
        temperature: 0,
        topP: 1,
        topK: 20,
        frequencyPenalty: 0,
        presencePenalty: 0,
        seed: 7,
        stopSequences: ["END"],
        maxOutputTokens: 100,
      },
      safetySettings: [],
    });
  });

  it("as Anthropic's body, with results and the next words in one turn", async () => {
    const call = (id: string, input: object): object => ({
      type: "tool_use",
      id,
      name: "read",
      input,
    });
    const result = (id: string, text: string): object => ({
      type: "tool_result",
      tool_use_id: id,
      content: text,
    });
    expect(await bodyOf(anthropic(), { ...conversation, toolChoice: "required" })).toEqual({
      model: "m",
      max_tokens: 100,
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "Use tools." },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AQID" } },
          ],
        },
        { role: "assistant", content: [call("c1", { path: "a" }), call("c2", {})] },
        {
          role: "user",
          content: [
            result("c1", "A"),
            { ...result("c2", "no path"), is_error: true },
            { type: "text", text: "Go on." },
          ],
        },
      ],
      tools: [{ name: "read", description: "Reads a file.", input_schema: tool.inputSchema }],
      tool_choice: { type: "any" },
      temperature: 0,
      top_k: 40,
      stop_sequences: ["END"],
    });
  });
});

describe("what is a provider's own", () => {
  it("cache breakpoints land on the last block of their message, and thinking goes back signed", async () => {
    const cached = { anthropic: { cache_control: { type: "ephemeral" } } };
    const redacted = { type: "redacted_thinking", data: "xyz" };
    const messages: ChatMessage[] = [
      { role: "system", content: "Pack.", providerMetadata: cached },
      { role: "user", content: [png, { type: "text", text: "Why?" }], providerMetadata: cached },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", signature: "sig" },
          { type: "text", text: "So." },
        ],
        providerMetadata: { anthropic: { reasoning: [redacted] } },
      },
      { role: "user", content: "And?" },
    ];
    const cache = { cache_control: { type: "ephemeral" } };
    expect(await bodyOf(anthropic(), { messages })).toMatchObject({
      system: [{ type: "text", text: "Pack.", ...cache }],
      messages: [
        { role: "user", content: [{ type: "image" }, { type: "text", text: "Why?", ...cache }] },
        {
          role: "assistant",
          content: [
            redacted,
            { type: "thinking", thinking: "Hm.", signature: "sig" },
            { type: "text", text: "So." },
          ],
        },
        { role: "user", content: [{ type: "text", text: "And?" }] },
      ],
    });
    expect(JSON.stringify(messages[2])).not.toContain("cache_control");
  });

  it("thinking comes back signed, whole and streamed, with all counts of a cache", async () => {
    const usage = { inputTokens: 100, outputTokens: 9, cachedInputTokens: 60 };
    server.enqueue(
      { type: "answer", text: "ok", reasoning: "Hm.", usage },
      { type: "answer", text: "ok", reasoning: "Hm." },
    );
    await anthropic().generate({ messages: [{ role: "user", content: "Hi" }] });
    const response = await anthropic().generate({ messages: [{ role: "user", content: "Hi" }] });
    expect(response.usage).toEqual({
      inputTokens: 100,
      outputTokens: 9,
      cachedInputTokens: 60,
      cacheWriteTokens: 0,
    });
    const signed = [{ type: "thinking", thinking: "Hm.", signature: "c2lnbmF0dXJl" }];
    expect(response.providerMetadata).toMatchObject({ anthropic: { reasoning: signed } });
    expect(response.requestId).toBe("req_test");
  });

  it.each(["openAi", "gemini", "anthropic"] as const)(
    "unknown fields of an answer of %s pass through",
    async (name) => {
      server.enqueue({ type: "answer", text: "ok", extra: { novelty: { deep: [1] } } });
      await models[name]().generate({ messages: [] });
      const { providerMetadata = {} } = await models[name]().generate({
        messages: [{ role: "user", content: "Hi" }],
      });
      expect(Object.values(providerMetadata)).toMatchObject([{ novelty: { deep: [1] } }]);
    },
  );

  it("fields of parts and calls go to their own provider, and to no other", async () => {
    const fields = {
      openai: { prompt_cache_breakpoint: { mode: "explicit" } },
      anthropic: { cache_control: { type: "ephemeral" } },
    };
    const messages: ChatMessage[] = [
      { role: "user", content: [{ type: "text", text: "Read a.", providerMetadata: fields }] },
      {
        role: "assistant",
        content: "",
        toolCalls: [
          {
            id: "c1",
            name: "read",
            arguments: "{}",
            providerMetadata: { anthropic: { cache_control: { type: "ephemeral" } } },
          },
        ],
      },
      { role: "tool", toolCallId: "c1", content: "A" },
    ];
    const model = openAi({ provider: "openai" });
    expect(await bodyOf(model, { messages })).toMatchObject({
      messages: [
        { content: [{ type: "text", text: "Read a.", ...fields.openai }] },
        {
          tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: "{}" } }],
        },
        {},
      ],
    });
    server.enqueue({ type: "answer", text: "ok" });
    expect(await bodyOf(anthropic(), { messages })).toMatchObject({
      messages: [
        { content: [{ type: "text", text: "Read a.", ...fields.anthropic }] },
        { content: [{ type: "tool_use", id: "c1", ...fields.anthropic }] },
        {},
      ],
    });
  });

  it("options of a request and fields of a message go into the body as they are", async () => {
    const messages: ChatMessage[] = [
      {
        role: "user",
        content: "Hi",
        providerMetadata: { "openai-compatible": { name: "ann" }, other: { x: 1 } },
      },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm." },
          { type: "text", text: "So." },
        ],
      },
    ];
    const model = openAi({ reasoningField: "reasoning_content" });
    expect(await bodyOf(model, { messages, providerOptions: { service_tier: "flex" } })).toEqual({
      model: "m",
      service_tier: "flex",
      messages: [
        { role: "user", content: "Hi", name: "ann" },
        { role: "assistant", content: [{ type: "text", text: "So." }], reasoning_content: "Hm." },
      ],
    });
  });
});

describe("the prompt cache of Anthropic", () => {
  const system: ChatMessage = { role: "system", content: "Rules." };
  const user = (content: string): ChatMessage => ({ role: "user", content });
  const said: ChatMessage = { role: "assistant", content: "Yes." };
  const talk = [system, user("A"), said, user("B"), said, user("C")];
  const marksOf = async (model: LanguageModel, request: ModelRequest): Promise<string[]> => {
    const found: string[] = [];
    JSON.stringify(await bodyOf(model, request), (_, value) => {
      if (value?.cache_control !== undefined) found.push(value.text ?? value.name ?? value.content);
      return value;
    });
    return found;
  };

  it("has the stable prefix marked, and the last turns of a conversation", async () => {
    expect(await marksOf(anthropic(true), { messages: talk, tools: [tool] })).toEqual([
      "Rules.",
      "B",
      "C",
    ]);
  });

  it.each<[string, ModelRequest, string[]]>([
    ["the tools without a system text", { messages: talk.slice(1, 2), tools: [tool] }, [tool.name]],
    ["no single question", { messages: talk.slice(0, 2) }, ["Rules."]],
    [
      "what the caller marks alone",
      {
        messages: [
          { ...system, providerMetadata: { anthropic: { cache_control: { type: "ephemeral" } } } },
          ...talk.slice(1),
        ],
      },
      ["Rules."],
    ],
    [
      "the tools where a schema has a property of that name",
      {
        messages: talk.slice(1, 2),
        tools: [{ ...tool, inputSchema: { type: "object", properties: { cache_control: {} } } }],
      },
      [tool.name],
    ],
    [
      "nothing where the whole request asks for it",
      { messages: talk, providerOptions: { cache_control: { type: "ephemeral" } } },
      [],
    ],
  ])("marks %s", async (_, request, expected) => {
    const found = await marksOf(anthropic(true), request);
    expect(found.filter((text) => text !== undefined)).toEqual(expected);
  });

  it("is left alone on demand", async () => {
    expect(await marksOf(anthropic(), { messages: talk, tools: [tool] })).toEqual([]);
  });
});

describe("what nobody chose to send does not end the conversation", () => {
  const call = { id: "c", name: "read", arguments: "{broken" };
  const media: MediaPart[] = [
    { type: "image", mimeType: "image/svg+xml", data: Uint8Array.of(1, 2) },
    { type: "file", mimeType: "audio/wav", url: "https://x.test/a" },
  ];
  const messages: ChatMessage[] = [
    { role: "user", content: "Go" },
    { role: "assistant", content: " \n", toolCalls: [call] },
    { role: "tool", toolCallId: "c", content: [...media, { type: "text", text: "So." }] },
  ];
  const notes = [
    "[image/svg+xml, 2 bytes: can't be shown here]",
    "[audio/wav at https://x.test/a: can't be shown here]",
  ];
  const texts = [...notes, "So."].map((text) => ({ type: "text", text }));

  it("by an OpenAI-compatible server: media of a tool are named", async () => {
    expect(await bodyOf(openAi(), { messages })).toMatchObject({
      messages: [{}, {}, { role: "tool", content: texts }],
    });
  });

  it("by Anthropic: nor do broken arguments, text without a word and thinking that is hidden", async () => {
    const hidden = { type: "redacted_thinking", data: "xyz" };
    const part: Part = { type: "reasoning", text: "", providerMetadata: { anthropic: hidden } };
    const input = { INVALID_JSON: "{broken" };
    const asked: ChatMessage = {
      role: "assistant",
      content: [part, { type: "text", text: " \n" }],
      toolCalls: [call],
    };
    const request = {
      messages: messages.map((message) => (message.role === "assistant" ? asked : message)),
    };
    expect(await bodyOf(anthropic(), request)).toMatchObject({
      messages: [
        {},
        {
          role: "assistant",
          content: [hidden, { type: "tool_use", id: "c", name: "read", input }],
        },
        { role: "user", content: [{ type: "tool_result", content: texts }] },
      ],
    });
  });

  it("by Anthropic: ids that it refuses, or that were given twice, are replaced", async () => {
    const use = (id: string): ChatMessage[] => [
      { role: "assistant", content: "", toolCalls: [{ id, name: "read", arguments: "{}" }] },
      { role: "tool", toolCallId: id, content: "A" },
    ];
    const body = await bodyOf(anthropic(), {
      messages: ["call_0", "call_0", "read:0"].flatMap(use),
    });
    const ids = [...JSON.stringify(body).matchAll(/"(?:tool_use_)?id":"(.*?)"/g)].map(
      ([, id]) => id,
    );
    expect(ids).toEqual(["call_0", "call_0_2", "read_0"].flatMap((id) => [id, id]));
  });

  it.each(["openAi", "gemini", "anthropic", "responses", "aiSdk"] as const)(
    "by %s: what is left out stands in the warnings of the answer, whole and streamed",
    async (name) => {
      const provided: Part = { type: "provider", provider: "elsewhere", raw: { type: "hologram" } };
      const request: ModelRequest = { messages: [{ role: "user", content: [provided] }] };
      server.enqueue({ type: "answer", text: "ok" }, { type: "answer", text: "ok" });
      const model = models[name]();
      const left = [{ code: "part_left_out", path: ["messages", 0], severity: "warning" }];
      expect((await model.generate(request)).warnings).toMatchObject(left);
      const deltas: ModelDelta[] = [];
      for await (const delta of model.stream?.(request) ?? []) deltas.push(delta);
      expect(deltas.at(-1)).toMatchObject({ type: "finish", response: { warnings: left } });
      expect(JSON.stringify(server.calls[1]?.body)).toContain("hologram of elsewhere");
      const whole = await model.generate({ messages: [{ role: "user", content: "Hi" }] });
      expect(whole.warnings).toBeUndefined();
    },
  );

  it("by Gemini: media of a tool, reasoning of other models, and the role of a late system message", async () => {
    const thought: Part = { type: "reasoning", text: "Hm", signature: "s" };
    const body = await bodyOf(gemini(), {
      messages: [
        { role: "assistant", content: [thought, { type: "text", text: "So." }] },
        { role: "tool", toolCallId: "c", content: [{ type: "text", text: "A" }, png] },
        { role: "system", content: "Now in French." },
      ],
    });
    const output = "A\n[image/png, 3 bytes: can't be shown here]";
    const functionResponse = { id: "c", name: "unknown", response: { output } };
    expect(body).toEqual({
      contents: [
        { role: "model", parts: [{ text: "So." }] },
        { role: "user", parts: [{ functionResponse }, { text: "Now in French." }] },
      ],
    });
  });
});

it("a choice of tools without tools is left out where it asks for nothing", async () => {
  const request: ModelRequest = { messages: [{ role: "user", content: "Hi" }], toolChoice: "auto" };
  expect(await bodyOf(openAi(), request)).toEqual({
    model: "m",
    messages: [{ role: "user", content: "Hi" }],
  });
  server.enqueue({ type: "answer", text: "ok" });
  expect(await bodyOf(anthropic(), request)).not.toHaveProperty("tool_choice");
});

it("a secret in a header of the caller's is masked like the key", async () => {
  await server.close();
  server = await startTestServer({
    script: [{ type: "error", status: 400, message: "bad value zebra-9041-x" }],
  });
  const run = openAi({ headers: { "api-key": "zebra-9041-x" } }).generate({ messages: [] });
  await expect(run).rejects.toThrow("bad value [redacted:api_key]");
});

describe("an address", () => {
  it.each(["localhost:1234", "ftp://x.test", "", "https://user:secret@x.test/v1"])(
    "like %j is refused",
    (baseUrl) => {
      const create = (): unknown => createOpenAiCompatibleModel({ baseUrl, model: "m" });
      expect(create).toThrow(expect.objectContaining({ code: "invalid_request" }));
      expect(create).not.toThrow("secret");
    },
  );

  it("keeps its query, and a key in the environment goes to its own host alone", async () => {
    const seen: [string, string | null][] = [];
    const watch: typeof fetch = async (input, init) => {
      seen.push([String(input), new Headers(init?.headers).get("authorization")]);
      return Response.json({ choices: [{ message: { content: "ok" }, finish_reason: "stop" }] });
    };
    process.env["OPENAI_API_KEY"] = "sk-from-environment";
    const ask = (options: Partial<OpenAiCompatibleOptions>): Promise<unknown> =>
      createOpenAiCompatibleModel({ model: "m", fetch: watch, ...options }).generate({
        messages: [],
      });
    await ask({});
    await ask({ baseUrl: "https://other.test/v1/?api-version=1" });
    delete process.env["OPENAI_API_KEY"];
    await ask({});
    expect(seen).toEqual([
      ["https://api.openai.com/v1/chat/completions", "Bearer sk-from-environment"],
      ["https://other.test/v1/chat/completions?api-version=1", null],
      ["https://api.openai.com/v1/chat/completions", null],
    ]);
  });
});
