// A server with the tools, resources and prompts that the protocol's conformance suite asks for, on the SDK's first version:
// over stdio, or over streamable HTTP with the argument `http`, where it prints its address.
import { createServer } from "node:http";

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import * as schemas from "@modelcontextprotocol/sdk/types.js";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const text = (words) => ({ type: "text", text: words });
const image = { type: "image", data: pixel, mimeType: "image/png" };
const embedded = (uri) => ({ type: "resource", resource: { uri, mimeType: "text/plain", text: "Embedded." } });

const ask = async (server, properties) => {
  const requestedSchema = { type: "object", properties, required: [] };
  const { action, content } = await server.elicitInput({ message: "Please answer.", requestedSchema });
  return [text(`action=${action}, content=${JSON.stringify(content ?? {})}`)];
};
const options = ["option1", "option2", "option3"];
const titled = options.map((value) => ({ const: value, title: `The ${value}` }));

/** What each tool answers; an error becomes the tool's own. */
const tools = {
  test_simple_text: () => [text("A simple text.")],
  test_image_content: () => [image],
  test_audio_content: () => [{ type: "audio", data: silence, mimeType: "audio/wav" }],
  test_embedded_resource: () => [embedded("test://embedded-resource")],
  test_multiple_content_types: () => [text("Several parts:"), image, embedded("test://mixed")],
  test_tool_with_logging: async ({ extra }) => {
    for (const data of ["started", "processing", "completed"])
      await extra.sendNotification({ method: "notifications/message", params: { level: "info", data } });
    return [text("logged")];
  },
  test_tool_with_progress: async ({ extra }) => {
    const { progressToken } = extra._meta ?? {};
    for (const progress of progressToken === undefined ? [] : [0, 50, 100])
      await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
    return [text("done")];
  },
  test_error_handling: () => {
    throw new Error("This tool intentionally returns an error for testing");
  },
  test_sampling: async ({ server, input }) => {
    const messages = [{ role: "user", content: text(input.prompt) }];
    const { content } = await server.createMessage({ messages, maxTokens: 100 });
    return [text(`LLM response: ${content.text}`)];
  },
  test_elicitation: ({ server }) => ask(server, { username: { type: "string" }, email: { type: "string" } }),
  test_elicitation_sep1034_defaults: ({ server }) =>
    ask(server, {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    }),
  test_elicitation_sep1330_enums: ({ server }) =>
    ask(server, {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled },
      legacyEnum: { type: "string", enum: ["opt1", "opt2"], enumNames: ["One", "Two"] },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titled } },
    }),
  json_schema_2020_12_tool: () => [text("called")],
};
const schemaOf = {
  test_sampling: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
  test_elicitation: { type: "object", properties: { message: { type: "string" } } },
  json_schema_2020_12_tool: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
    additionalProperties: false,
  },
};

const resources = {
  "test://static-text": { mimeType: "text/plain", text: "A static text." },
  "test://static-binary": { mimeType: "image/png", blob: pixel },
  "test://watched-resource": { mimeType: "text/plain", text: "A watched text." },
};

const user = (content) => ({ role: "user", content });
const prompts = {
  test_simple_prompt: { names: [], messages: () => [user(text("A simple prompt."))] },
  test_prompt_with_arguments: {
    names: ["arg1", "arg2"],
    messages: ({ arg1, arg2 }) => [user(text(`arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    names: ["resourceUri"],
    messages: ({ resourceUri }) => [user(embedded(resourceUri)), user(text("Use it."))],
  },
  test_prompt_with_image: { names: [], messages: () => [user(image), user(text("Look."))] },
};

function createConformanceServer() {
  const server = new Server(
    { name: "conformance", version: "1.0.0" },
    { capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} } },
  );
  server.setRequestHandler(schemas.ListToolsRequestSchema, () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: `The tool ${name}.`,
      inputSchema: schemaOf[name] ?? { type: "object" },
    })),
  }));
  server.setRequestHandler(schemas.CallToolRequestSchema, async ({ params }, extra) => {
    try {
      return { content: await tools[params.name]({ server, extra, input: params.arguments ?? {} }) };
    } catch (error) {
      return { isError: true, content: [text(error.message)] };
    }
  });
  server.setRequestHandler(schemas.ListResourcesRequestSchema, () => ({
    resources: Object.keys(resources).map((uri) => ({ uri, name: uri })),
  }));
  server.setRequestHandler(schemas.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }],
  }));
  server.setRequestHandler(schemas.ReadResourceRequestSchema, ({ params: { uri } }) => {
    const id = /^test:\/\/template\/(.+)\/data$/.exec(uri)?.[1];
    const made = id === undefined ? resources[uri] : { mimeType: "application/json", text: JSON.stringify({ id }) };
    if (made === undefined) throw new Error(`no resource ${uri}`);
    return { contents: [{ uri, ...made }] };
  });
  server.setRequestHandler(schemas.SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(schemas.UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(schemas.ListPromptsRequestSchema, () => ({
    prompts: Object.entries(prompts).map(([name, { names }]) => ({
      name,
      description: `The prompt ${name}.`,
      arguments: names.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler(schemas.GetPromptRequestSchema, ({ params }) => ({
    messages: prompts[params.name].messages(params.arguments ?? {}),
  }));
  server.setRequestHandler(schemas.SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(schemas.CompleteRequestSchema, () => ({
    completion: { values: ["paris", "park"], total: 2, hasMore: false },
  }));
  return server;
}

if (process.argv[2] === "http") {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const known = sessions.get(request.headers["mcp-session-id"]);
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => `session-${sessions.size}`,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await createConformanceServer().connect(transport);
    return transport.handleRequest(request, response);
  });
  http.listen(0, "127.0.0.1", () => console.error(`listening at http://127.0.0.1:${http.address().port}/mcp`));
} else await createConformanceServer().connect(new StdioServerTransport());
