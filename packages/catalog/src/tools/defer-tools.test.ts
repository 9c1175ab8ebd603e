import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import Anthropic from "@anthropic-ai/sdk";
import { tool as langchainTool } from "@langchain/core/tools";
import { generateText, jsonSchema, stepCountIs, tool as aiTool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import OpenAI from "openai";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";

import { CatalogError } from "../catalog-error.ts";
import { objectSchema } from "../schema/schema-columns.ts";
import { deferTools } from "./defer-tools.ts";

const issueSchema = z.object({ title: z.string(), labels: z.array(z.string()).default([]) });
const noise = Array.from({ length: 200 }, (_, at) => ({
  name: `server${at % 20}__job_${at}`,
  description: `Runs the batch job number ${at}.`,
  inputSchema: { type: "object", properties: { at: { type: "integer" } } },
}));
const aiSdkTools = {
  github__create_issue: aiTool({
    description: "Opens an issue in a repository.",
    inputSchema: issueSchema,
    execute: async ({ title, labels }) => `opened ${title} ${labels.length}`,
  }),
  weather__forecast: aiTool({
    description: "Weather of the next days at a place.",
    inputSchema: jsonSchema<{ place: string }>({
      type: "object",
      properties: { place: { type: "string" } },
      required: ["place"],
    }),
    execute: async ({ place }) => ({ place, rain: true }),
  }),
  ...Object.fromEntries(noise.map(({ name, ...rest }) => [name, rest])),
};

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A model API on loopback that returns the given answers in order and keeps the requests. */
async function upstream(answers: object[]): Promise<{ url: string; requests: unknown[] }> {
  const requests: unknown[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      requests.push(JSON.parse(body));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answers[requests.length - 1]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  const address = server.address();
  const { port }: Pick<AddressInfo, "port"> =
    typeof address === "object" && address !== null ? address : { port: 0 };
  return { url: `http://127.0.0.1:${port}`, requests };
}

describe("deferTools", () => {
  it("finds a tool among hundreds, describes it, and calls it with checked arguments", async () => {
    const { call } = deferTools(aiSdkTools);
    const found = String(await call("find_tools", { query: "open an issue", limit: 3 }));
    expect(found.split("\n")[0]).toBe(
      "github__create_issue(title, labels?): Opens an issue in a repository.",
    );
    expect(await call("describe_tools", { names: ["weather__forecast"] })).toMatchObject([
      { name: "weather__forecast", inputSchema: { required: ["place"] } },
    ]);
    const called = await call("call_tool", {
      name: "github__create_issue",
      input: { title: "Crash" },
    });
    expect(called).toBe("opened Crash 0");
  });

  it.each([
    ["no such fixed tool", "search", {}, "unknown_tool"],
    ["input that is not JSON", "find_tools", "{", "invalid_input"],
    ["input of a wrong shape", "describe_tools", { names: {} }, "invalid_input"],
    ["an unknown tool", "call_tool", { name: "github_create_issue", input: {} }, "unknown_tool"],
    [
      "arguments that a zod schema rejects",
      "call_tool",
      { name: "github__create_issue", input: { title: {} } },
      "invalid_arguments",
    ],
    [
      "arguments that a JSON Schema rejects",
      "call_tool",
      { name: "weather__forecast", input: {} },
      "invalid_arguments",
    ],
    [
      "a tool without a function",
      "call_tool",
      { name: "server1__job_1", input: {} },
      "not_callable",
    ],
  ])("answers %s with an error that a model can act on", async (_, name, input, code) => {
    expect(await deferTools(aiSdkTools).call(name, input)).toMatchObject({ error: { code } });
  });

  it("accepts JSON text as an object, and calls a tool with an unreadable schema unchecked", async () => {
    const broken = {
      name: "broken",
      inputSchema: { type: "object", properties: { at: { $ref: "https://schemas.example/at" } } },
      execute: (input: unknown) => input,
    };
    const { call } = deferTools({ ...aiSdkTools, broken });
    const input = JSON.stringify({ title: "Crash" });
    expect(await call("call_tool", { name: "github__create_issue", input })).toBe("opened Crash 0");
    expect(await call("call_tool", { name: "broken", input: '{"at":1}' })).toEqual({ at: 1 });
    expect(await call("call_tool", { name: "broken" })).toEqual({});
  });

  it("returns tools even if none matches", async () => {
    const found = String(await deferTools(aiSdkTools).call("find_tools", { query: "zyzzyva" }));
    expect(found).toMatch(
      /^\[no tool has these words; there are 202:\]\ngithub__create_issue\(title/,
    );
    expect(found.split("\n")).toHaveLength(26);
  });

  it("finds the tools of each sentence of a task", async () => {
    const jobs = Array.from({ length: 60 }, (_, at) => ({
      name: `mail${at}`,
      description: "Sends mail about orders, customers, invoices and reports.",
    }));
    const rain = { name: "sky", description: "Tells whether it rains." };
    const { call } = deferTools([...jobs, rain]);
    const task = "Send a mail about orders to customers with invoices and reports";
    const query = `${task}. First look whether it rains.`;
    const lines = String(await call("find_tools", { query, limit: 3 })).split("\n");
    expect(lines[0]).toMatch(/^sky\(/);
  });

  it("ranks tools that often succeeded higher, but ignores a single success and tools of other tasks", async () => {
    const twins = ["ash", "oak", "yew"].map((name) => ({ name, description: "Reads a file." }));
    const rain = { name: "sky", description: "Tells whether it rains." };
    const found = async (uses: Record<string, number>, query: string): Promise<string[]> => {
      const { call } = deferTools([...twins, rain], { uses: new Map(Object.entries(uses)) });
      const answer = String(await call("find_tools", { query, limit: 2 }));
      return answer.split("\n").map((line) => line.replace(/\(.*/, ""));
    };
    expect(await found({}, "read a file")).toEqual(["ash", "oak"]);
    expect(await found({ yew: 2 }, "read a file")).toEqual(["yew", "ash"]);
    expect(await found({ yew: 1 }, "read a file")).toEqual(["ash", "oak"]);
    expect(await found({ yew: 3, oak: 2 }, "does it rain, tell me whether")).toEqual([
      "sky",
      "yew",
    ]);
    expect(await found({ yew: 9 }, "zyzzyva")).toEqual([
      "[no tool has these words; there are 4:]",
      "yew",
      "ash",
    ]);
  });

  it("suggests names for an unknown tool, and returns the schema for wrong arguments", async () => {
    const { call } = deferTools(aiSdkTools);
    expect(await call("call_tool", { name: "create_issue", input: {} })).toMatchObject({
      error: { nearest: expect.arrayContaining(["github__create_issue"]) },
    });
    expect(await call("call_tool", { name: "weather__forecast", input: {} })).toMatchObject({
      error: { message: expect.stringContaining("place"), inputSchema: { required: ["place"] } },
    });
  });

  it("reports a failing tool, and passes an abort on", async () => {
    const controller = new AbortController();
    const stop = { name: "stop", parameters: {}, execute: () => controller.abort() };
    const fail = async (): Promise<never> => {
      controller.signal.throwIfAborted();
      throw new Error("disk full");
    };
    const { call } = deferTools([{ name: "fail", parameters: {}, execute: fail }, stop]);
    const failing = { name: "fail", input: {} };
    expect(await call("call_tool", failing)).toMatchObject({
      error: { code: "tool_failed", message: "fail failed: disk full" },
    });
    await call("call_tool", { name: "stop", input: {} });
    await expect(call("call_tool", failing, controller)).rejects.toThrow("aborted");
  });

  it("rejects two tools with the same name, and a tool without a name", () => {
    expect(() => deferTools([{ name: "a" }, { name: "a" }])).toThrow(CatalogError);
    expect(() => deferTools([{}])).toThrow(CatalogError);
  });

  it("works in the AI SDK's loop", async () => {
    const calls = [
      ["find_tools", { query: "weather tomorrow" }],
      ["call_tool", { name: "weather__forecast", input: { place: "Oslo" } }],
    ] as const;
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    let step = 0;
    const model = new MockLanguageModelV3({
      doGenerate: async () => {
        const [toolName, input] = calls[step++] ?? [];
        return toolName === undefined
          ? {
              content: [{ type: "text", text: "It rains." }],
              finishReason: { unified: "stop", raw: "stop" },
              usage,
              warnings: [],
            }
          : {
              content: [
                {
                  type: "tool-call",
                  toolCallId: `c${step}`,
                  toolName,
                  input: JSON.stringify(input),
                },
              ],
              finishReason: { unified: "tool-calls", raw: "tool_calls" },
              usage,
              warnings: [],
            };
      },
    });
    const { steps, text } = await generateText({
      model,
      tools: deferTools(aiSdkTools).aiSdk,
      stopWhen: stepCountIs(4),
      prompt: "Will it rain in Oslo?",
    });
    expect(text).toBe("It rains.");
    expect(steps[0]?.toolResults[0]?.output).toContain("weather__forecast(place)");
    expect(steps[1]?.toolResults[0]?.output).toEqual({ place: "Oslo", rain: true });
    expect(model.doGenerateCalls[0]?.tools?.map(({ name }) => name)).toEqual([
      "find_tools",
      "describe_tools",
      "call_tool",
    ]);
  });

  it("works with OpenAI's client", async () => {
    const tools: OpenAI.ChatCompletionTool[] = [
      {
        type: "function",
        function: {
          name: "forecast",
          description: "Weather of the next days.",
          parameters: { type: "object", required: ["place"], properties: { place: {} } },
        },
      },
    ];
    const deferred = deferTools(tools, { call: (name, input) => ({ name, input }) });
    const input = JSON.stringify({ name: "forecast", input: { place: "Oslo" } });
    const { url, requests } = await upstream([
      {
        choices: [
          {
            message: {
              role: "assistant",
              tool_calls: [
                { id: "1", type: "function", function: { name: "call_tool", arguments: input } },
              ],
            },
          },
        ],
      },
    ]);
    const client = new OpenAI({ apiKey: "none", baseURL: url });
    const { choices } = await client.chat.completions.create({
      model: "any",
      tools: deferred.openai,
      messages: [{ role: "user", content: "Will it rain?" }],
    });
    const [called] = choices[0]?.message.tool_calls ?? [];
    if (called?.type !== "function") throw new Error("no call");
    expect(await deferred.call(called.function.name, called.function.arguments)).toEqual({
      name: "forecast",
      input: { place: "Oslo" },
    });
    expect(requests).toMatchObject([{ tools: [{}, {}, { function: { name: "call_tool" } }] }]);
  });

  it("works with Anthropic's client", async () => {
    const tools: Anthropic.Tool[] = [
      { name: "forecast", description: "Weather.", input_schema: { type: "object" } },
    ];
    const deferred = deferTools(tools, { call: (name) => `${name} called` });
    const { url, requests } = await upstream([
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "1", name: "call_tool", input: { name: "forecast", input: {} } },
        ],
      },
    ]);
    const client = new Anthropic({ apiKey: "none", baseURL: url });
    const { content } = await client.messages.create({
      model: "any",
      max_tokens: 100,
      tools: deferred.anthropic,
      messages: [{ role: "user", content: "Will it rain?" }],
    });
    const [called] = content;
    if (called?.type !== "tool_use") throw new Error("no call");
    expect(await deferred.call(called.name, called.input)).toBe("forecast called");
    expect(requests).toMatchObject([{ tools: [{ name: "find_tools" }, {}, {}] }]);
  });

  it("accepts and returns tools of LangChain", async () => {
    const forecast = langchainTool(async ({ place }: { place: string }) => `rain in ${place}`, {
      name: "forecast",
      description: "Weather of the next days.",
      schema: z.object({ place: z.string() }),
    });
    const tools = deferTools([forecast]).langchain.map(({ func, ...fields }) =>
      langchainTool(func, fields),
    );
    expect(await tools[0]?.invoke({ query: "weather" })).toContain("forecast(place)");
    const input = { name: "forecast", input: { place: "Oslo" } };
    expect(await tools[2]?.invoke(input)).toBe("rain in Oslo");
  });
});

describe("the line of a tool", () => {
  const name = fc.stringMatching(/^[a-z]{1,6}$/);
  const leaf = fc.constantFrom<object>(
    { type: "string" },
    { type: "array", items: { type: "object", properties: { inner: {} }, required: ["inner"] } },
    { type: "object", properties: { deep: { type: "array" } }, required: ["deep"] },
    { anyOf: [{ type: "integer" }, { type: "null" }] },
    { enum: [1, "a"] },
    { $ref: "#/$defs/missing" },
    {},
  );
  interface Made {
    schema: Record<string, unknown>;
    required: string[];
    all: string[];
  }
  const own = fc
    .dictionary(name, fc.tuple(leaf, fc.boolean()), { maxKeys: 5, noNullPrototype: true })
    .map((members): Made => {
      const all = Object.keys(members);
      const required = all.filter((key) => members[key]?.[1] === true);
      const properties = Object.fromEntries(all.map((key) => [key, members[key]?.[0]]));
      return { schema: { type: "object", properties, required }, required, all };
    });
  const both = (
    left: Made,
    right: Made,
    schema: Record<string, unknown>,
    isAll: boolean,
  ): Made => ({
    schema,
    required: isAll
      ? [...left.required, ...right.required]
      : left.required.filter((key) => right.required.includes(key)),
    all: [...left.all, ...right.all],
  });
  const conditional = (left: Made, right: Made): Record<string, unknown> =>
    Object.fromEntries(
      ["if", "then", "else"].map((key, at) => [key, [{}, left.schema, right.schema][at]]),
    );
  /** A schema and its required arguments, generated together by the rules of JSON Schema. */
  const made: fc.Arbitrary<Made> = fc.oneof(
    own,
    fc
      .tuple(own, own)
      .chain(([left, right]) =>
        fc.constantFrom(
          both(left, right, { allOf: [left.schema, right.schema] }, true),
          both(left, right, { anyOf: [left.schema, right.schema] }, false),
          both(left, right, { oneOf: [left.schema, { type: "null" }, right.schema] }, false),
          both(left, right, conditional(left, right), false),
          both(
            left,
            right,
            { ...left.schema, $ref: "#/$defs/a", $defs: { a: right.schema } },
            true,
          ),
          both(left, right, { ...left.schema, allOf: [{ anyOf: [right.schema] }] }, true),
        ),
      ),
  );

  it("lists all required arguments whatever the shape of the schema, and marks the optional ones", async () => {
    await fc.assert(
      fc.asyncProperty(made, async ({ schema, required, all }) => {
        const { call } = deferTools([
          { name: "tool", description: "Does it.", inputSchema: schema },
        ]);
        const line = String(await call("find_tools", { query: "tool" }));
        const [, inside = ""] = /^tool\((.*?)\): Does it\.$/.exec(line) ?? [];
        const shown = inside === "" ? [] : inside.split(", ").filter((one) => one !== "…");
        const optional = all.filter((key) => !required.includes(key)).map((key) => `${key}?`);
        expect(new Set(shown)).toEqual(new Set([...required, ...optional]));
        expect(new Set(objectSchema(schema).required)).toEqual(new Set(required));
      }),
    );
  });

  it("never drops a required argument for lack of room", async () => {
    const names = Array.from({ length: 60 }, (_, at) => `a_required_argument_${at}`);
    const properties = Object.fromEntries([...names, "extra"].map((key) => [key, {}]));
    const inputSchema = { type: "object", properties, required: names };
    const found = await deferTools([{ name: "wide", inputSchema }]).call("find_tools", {
      query: "wide",
    });
    expect(found).toBe(`wide(${names.join(", ")}, …): `);
  });
});
