// Writes src/wire/__fixtures__/requests.json: what the official clients send to a server on loopback that plays the APIs.
// Run it after "node scripts/build.mjs" when a client has a new version.
import fs from "node:fs";
import path from "node:path";

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createOpenAICompatible as createOpenAICompatible1 } from "@ai-sdk/openai-compatible-v1";
import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import * as sdk6 from "ai";
import * as sdk5 from "ai-v5";
import * as sdk7 from "ai-v7";
import OpenAI from "openai";
import { zodFunction, zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";

import { startTestServer } from "../dist/testing/index.js";

const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const pdf = "JVBERi0xLjQKJSVFT0YK";
const calls = [
  { id: "toolu_a", name: "read_file", arguments: '{"path":"src/мир.ts"}' },
  { id: "toolu_b", name: "read_file", arguments: '{"path":"b.ts"}' },
];
const said = { type: "answer", text: "It says hello. 👋", reasoning: "Short." };
const asked = { type: "answer", text: "I look.", reasoning: "Hm.", toolCalls: calls };
const json = { type: "answer", json: { city: "Ulm" }, text: '{"city":"Ulm"}' };
const city = z.object({ city: z.string() });
const file = z.object({ path: z.string() });
const read = ({ path: name }) => (name === "b.ts" ? "" : `// ${name}\nexport const hello = 1;`);
const weather = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};

const server = await startTestServer({ chunkBytes: 512 });
const recorded = [];
/** Runs one exchange and keeps the requests that it sent. */
async function record(client, scenario, behaviours, run) {
  const before = server.calls.length;
  server.enqueue(...behaviours);
  await run();
  const sent = server.calls.slice(before);
  if (sent.length !== behaviours.length)
    throw new Error(`${client}, ${scenario}: ${sent.length} calls`);
  for (const [turn, { dialect, body }] of sent.entries())
    recorded.push({ client, scenario, turn, wire: dialect, body });
}

const openai = new OpenAI({ apiKey: "k", baseURL: server.baseUrl("openai"), maxRetries: 0 });
const responses = new OpenAI({
  apiKey: "k",
  baseURL: server.baseUrl("openai-responses"),
  maxRetries: 0,
});
const anthropic = new Anthropic({
  apiKey: "k",
  baseURL: server.baseUrl("anthropic"),
  maxRetries: 0,
});
const model = "m";

await chatScenarios();
await responsesScenarios();
await anthropicScenarios();
for (const [name, sdk, open] of [
  ["ai 5", sdk5, createOpenAICompatible1],
  ["ai 6", sdk6, createOpenAICompatible],
]) {
  const provider = open({ name: "test", baseURL: server.baseUrl("openai") });
  await aiSdkScenarios(name, sdk, provider("m"));
}
await aiSdkScenarios(
  "ai 7, chat",
  sdk7,
  createOpenAI({ apiKey: "k", baseURL: server.baseUrl("openai") }).chat("gpt-4.1"),
);
await aiSdkScenarios(
  "ai 7, responses",
  sdk7,
  createOpenAI({ apiKey: "k", baseURL: server.baseUrl("openai-responses") }).responses("gpt-5"),
);
await aiSdkScenarios(
  "ai 7, anthropic",
  sdk7,
  createAnthropic({ apiKey: "k", baseURL: `${server.baseUrl("anthropic")}/v1` })("claude-opus-4-6"),
);
await server.close();

const folder = path.join(import.meta.dirname, "../src/wire/__fixtures__");
fs.mkdirSync(folder, { recursive: true });
const lines = recorded.map((row) => JSON.stringify(row));
fs.writeFileSync(path.join(folder, "requests.json"), `[\n${lines.join(",\n")}\n]\n`);
console.log(`${recorded.length} requests`);

async function chatScenarios() {
  const client = "openai, chat";
  const user = { role: "user", content: "Hi" };
  await record(client, "sampling", [said, said], async () => {
    const body = {
      model,
      messages: [{ role: "developer", content: "Be brief.", name: "op" }, user],
    };
    await openai.chat.completions.create({
      ...body,
      temperature: 0,
      seed: 7,
      stop: ["\n\n"],
      user: "u",
    });
    const stream = openai.chat.completions.stream({
      ...body,
      stream_options: { include_usage: true },
    });
    await stream.finalChatCompletion();
  });
  await record(client, "media", [said], () =>
    openai.chat.completions.create({
      model,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            {
              type: "image_url",
              image_url: { url: `data:image/png;base64,${png}`, detail: "low" },
            },
            { type: "image_url", image_url: { url: "https://example.org/a.png" } },
            {
              type: "file",
              file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` },
            },
            { type: "file", file: { file_id: "file-1" } },
            { type: "input_audio", input_audio: { data: png, format: "wav" } },
          ],
        },
      ],
    }),
  );
  const tools = [
    zodFunction({ name: "read_file", parameters: file, function: read, description: "Reads." }),
  ];
  await record(client, "parallel calls by the client's own loop", [asked, asked, said], () =>
    openai.chat.completions.runTools({ model, messages: [user], tools }).finalContent(),
  );
  await record(client, "the same loop as a stream", [asked, said], () =>
    openai.chat.completions
      .runTools({ model, messages: [user], tools, stream: true })
      .finalContent(),
  );
  await record(client, "a parsed answer sent back", [json, said], async () => {
    const body = { model, messages: [user], response_format: zodResponseFormat(city, "city") };
    const { choices } = await openai.chat.completions.parse(body);
    await openai.chat.completions.create({ ...body, messages: [user, choices[0].message, user] });
  });
  await record(client, "custom tools and a choice", [said], () =>
    openai.chat.completions.create({
      model,
      tools: [
        { type: "custom", custom: { name: "patch", format: { type: "text" } } },
        { type: "function", function: { name: "f", parameters: weather, strict: true } },
      ],
      tool_choice: { type: "custom", custom: { name: "patch" } },
      parallel_tool_calls: false,
      messages: [
        user,
        {
          role: "assistant",
          content: null,
          reasoning_content: "Hm.",
          reasoning_details: [{ type: "reasoning.encrypted", data: "gAAA" }],
          tool_calls: [{ id: "c", type: "custom", custom: { name: "patch", input: "*** {" } }],
        },
        { role: "tool", tool_call_id: "c", content: [{ type: "text", text: "done" }] },
      ],
    }),
  );
}

async function responsesScenarios() {
  const client = "openai, responses";
  await record(client, "text", [said, said, said], async () => {
    await responses.responses.create({
      model,
      input: "Hi",
      instructions: "Be brief.",
      store: false,
    });
    const stream = responses.responses.stream({ model, input: [{ role: "user", content: "Hi" }] });
    await stream.finalResponse();
    await responses.responses.create({ model, input: "And?", previous_response_id: "resp_1" });
  });
  await record(client, "media", [said], () =>
    responses.responses.create({
      model,
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is this?" },
            { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "high" },
            { type: "input_image", file_id: "file-1", detail: "auto" },
            {
              type: "input_file",
              filename: "a.pdf",
              file_data: `data:application/pdf;base64,${pdf}`,
            },
            { type: "input_file", file_url: "https://example.org/a.pdf" },
          ],
        },
      ],
    }),
  );
  await record(
    client,
    "parallel calls, the output sent back as it came",
    [asked, said],
    async () => {
      const tools = [{ type: "function", name: "read_file", parameters: weather, strict: true }];
      const input = [{ role: "user", content: "Hi" }];
      const include = ["reasoning.encrypted_content"];
      const { output } = await responses.responses.create({
        model,
        input,
        tools,
        store: false,
        include,
      });
      const results = output
        .filter(({ type }) => type === "function_call")
        .map((call) => ({
          type: "function_call_output",
          call_id: call.call_id,
          output: read(JSON.parse(call.arguments)),
        }));
      await responses.responses.create({
        model,
        input: [...input, ...output, ...results],
        tools,
        include,
      });
    },
  );
  await record(client, "a parsed answer", [json], () =>
    responses.responses.parse({
      model,
      input: "Hi",
      text: { format: zodTextFormat(city, "city") },
    }),
  );
  await record(client, "tools of the server", [said], () =>
    responses.responses.create({
      model,
      reasoning: { effort: "high", summary: "auto" },
      tools: [
        { type: "web_search", filters: { allowed_domains: ["example.org"] } },
        { type: "code_interpreter", container: { type: "auto" } },
        {
          type: "mcp",
          server_label: "s",
          server_url: "https://example.org/mcp",
          require_approval: "never",
        },
        {
          type: "custom",
          name: "patch",
          format: { type: "grammar", syntax: "lark", definition: "start: /x/" },
        },
      ],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "web_search" }] },
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "Search." }] },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA", status: null },
        {
          type: "web_search_call",
          id: "ws_1",
          status: "completed",
          action: { type: "search", query: "x" },
        },
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          phase: "commentary",
          content: [
            {
              type: "output_text",
              text: "Found.",
              annotations: [
                {
                  type: "url_citation",
                  start_index: 0,
                  end_index: 5,
                  url: "https://example.org",
                  title: "",
                },
              ],
              logprobs: [],
            },
          ],
        },
        {
          type: "code_interpreter_call",
          id: "ci_1",
          code: "1+1",
          container_id: "c",
          outputs: null,
          status: "completed",
        },
        { type: "mcp_list_tools", id: "ml_1", server_label: "s", tools: [] },
        {
          type: "mcp_call",
          id: "mc_1",
          name: "n",
          server_label: "s",
          arguments: "{}",
          output: "1",
          error: null,
        },
        { type: "custom_tool_call", call_id: "p", name: "patch", input: "x" },
        { type: "custom_tool_call_output", call_id: "p", output: "ok" },
        { type: "compaction", id: "cmp_1", encrypted_content: "gAAA" },
        { type: "item_reference", id: "msg_0" },
        { role: "user", content: "Go on." },
      ],
    }),
  );
}

async function anthropicScenarios() {
  const client = "@anthropic-ai/sdk";
  const named = { model: "claude-opus-4-6", max_tokens: 4096 };
  const cached = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const user = { role: "user", content: "Hi" };
  await record(client, "system, cache marks and thinking", [said, said], async () => {
    const system = [
      { type: "text", text: "Rules." },
      { type: "text", text: "More.", ...cached },
    ];
    const thinking = { type: "enabled", budget_tokens: 1024 };
    await anthropic.messages.create({
      ...named,
      system: "Rules.",
      messages: [user],
      stop_sequences: ["x"],
    });
    const stream = anthropic.messages.stream({
      ...named,
      system,
      thinking,
      messages: [user],
      metadata: { user_id: "u" },
    });
    await stream.finalMessage();
  });
  await record(client, "media", [said, said], async () => {
    const source = { type: "base64", media_type: "application/pdf", data: pdf };
    const content = [
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
      { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
      {
        type: "document",
        source,
        title: "a.pdf",
        context: "Of Monday.",
        citations: { enabled: true },
        ...cached,
      },
      { type: "document", source: { type: "text", media_type: "text/plain", data: "words" } },
      { type: "document", source: { type: "content", content: [{ type: "text", text: "chunk" }] } },
      {
        type: "search_result",
        source: "s",
        title: "t",
        content: [{ type: "text", text: "found" }],
      },
      { type: "text", text: "What is this?" },
    ];
    await anthropic.messages.create({ ...named, messages: [{ role: "user", content }] });
    const uploaded = [
      { type: "document", source: { type: "file", file_id: "file_1" } },
      { type: "container_upload", file_id: "file_2" },
    ];
    const betas = ["files-api-2025-04-14"];
    await anthropic.beta.messages.create({
      ...named,
      betas,
      messages: [{ role: "user", content: uploaded }],
    });
  });
  const tool = betaZodTool({
    name: "read_file",
    description: "Reads.",
    inputSchema: file,
    run: read,
  });
  await record(
    client,
    "parallel calls by the client's own loop",
    [asked, asked, said],
    async () => {
      await anthropic.beta.messages.toolRunner({ ...named, messages: [user], tools: [tool] });
    },
  );
  await record(client, "a streamed answer sent back", [asked, said], async () => {
    const first = await anthropic.messages.stream({ ...named, messages: [user] }).finalMessage();
    const content = first.content.flatMap((block) =>
      block.type === "tool_use"
        ? [
            {
              type: "tool_result",
              tool_use_id: block.id,
              is_error: block.id === "toolu_b",
              content: [
                { type: "text", text: "Here." },
                { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
              ],
            },
          ]
        : [],
    );
    const messages = [
      user,
      { role: first.role, content: first.content },
      { role: "user", content },
    ];
    await anthropic.messages.create({ ...named, messages });
  });
  await record(client, "tools of the server", [said], () =>
    anthropic.beta.messages.create({
      ...named,
      tools: [
        { type: "web_search_20250305", name: "web_search", max_uses: 3 },
        { type: "code_execution_20250825", name: "code_execution" },
        { name: "f", description: "F.", input_schema: weather, ...cached },
      ],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      mcp_servers: [{ type: "url", url: "https://example.org/mcp", name: "s" }],
      messages: [
        user,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm", signature: "c2ln" },
            { type: "text", text: "I search." },
            {
              type: "server_tool_use",
              id: "srvtoolu_1",
              name: "web_search",
              input: { query: "x" },
            },
            {
              type: "web_search_tool_result",
              tool_use_id: "srvtoolu_1",
              content: [
                {
                  type: "web_search_result",
                  url: "https://example.org",
                  title: "",
                  encrypted_content: "E",
                  page_age: null,
                },
              ],
            },
            { type: "redacted_thinking", data: "xyz" },
            { type: "mcp_tool_use", id: "mcptoolu_1", name: "n", server_name: "s", input: {} },
            {
              type: "mcp_tool_result",
              tool_use_id: "mcptoolu_1",
              is_error: false,
              content: [{ type: "text", text: "1" }],
            },
            {
              type: "text",
              text: "So.",
              citations: [
                {
                  type: "web_search_result_location",
                  url: "https://example.org",
                  title: null,
                  encrypted_index: "i",
                  cited_text: "c",
                },
              ],
            },
            { type: "tool_use", id: "toolu_1", name: "f", input: { path: "a", at: [1, null] } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1" },
            { type: "text", text: "Go on.", ...cached },
          ],
        },
        { role: "system", content: "The clock says noon." },
        { role: "user", content: [] },
      ],
    }),
  );
}

async function aiSdkScenarios(client, sdk, languageModel) {
  const shared = { model: languageModel, maxRetries: 0 };
  const tool = sdk.tool({
    description: "Reads.",
    inputSchema: file,
    execute: (input) => ({ words: read(input) }),
  });
  const loop = {
    ...shared,
    tools: { read_file: tool },
    stopWhen: sdk.stepCountIs?.(5) ?? sdk.isStepCount(5),
  };
  const system = sdk === sdk7 ? { instructions: "Be brief." } : { system: "Be brief." };
  await record(client, "a loop with parallel calls", [asked, asked, said], () =>
    sdk.generateText({ ...loop, ...system, prompt: "Hi" }),
  );
  await record(client, "the loop as a stream, then another turn", [asked, said, said], async () => {
    const messages = [{ role: "user", content: "Hi" }];
    const stream = sdk.streamText({ ...loop, messages });
    await stream.consumeStream();
    const { messages: answered } = await stream.response;
    await sdk.generateText({
      ...loop,
      messages: [...messages, ...answered, { role: "user", content: "And?" }],
    });
  });
  await record(client, "media", [said], () =>
    sdk.generateText({
      ...shared,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image", image: png, mediaType: "image/png" },
            // The client of version 5 refuses it.
            ...(sdk === sdk5
              ? []
              : [{ type: "file", data: pdf, mediaType: "application/pdf", filename: "a.pdf" }]),
          ],
          providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
        },
      ],
    }),
  );
  await record(client, "an object", [json], () =>
    sdk.generateObject({ ...shared, schema: city, prompt: "A city" }),
  );
}
