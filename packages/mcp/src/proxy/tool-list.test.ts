import { estimatedCounter, type TokenCounter } from "@ccl/core";
import { isRecord, type JsonRecord } from "@ccl/core/json";
import {
  type CallToolResult,
  ProtocolError,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { ProxiedCall, ProxiedTool } from "./proxied-tools.ts";
import { buildToolList, type ToolList } from "./tool-list.ts";

const charCounter: TokenCounter = {
  name: "characters",
  isExact: true,
  count: (text) => text.length,
};

const nameText = fc.stringMatching(/^[a-z]{1,8}(?:__|_)[a-z]{1,8}$/);
const description = fc.option(fc.string({ maxLength: 200 }), { nil: undefined });
const tools = fc.uniqueArray(
  fc.record({ name: nameText, description, properties: fc.dictionary(nameText, fc.constant({})) }),
  { selector: ({ name }) => name, maxLength: 60 },
);

function proxiedOf(
  {
    name,
    description: text,
    properties = {},
  }: { name: string; description?: string | undefined; properties?: object },
  calls: unknown[] = [],
): ProxiedTool {
  const tool: Tool = {
    name,
    inputSchema: { type: "object", properties: { ...properties } },
    annotations: { readOnlyHint: true },
  };
  if (text !== undefined) tool.description = text;
  return {
    tool,
    uses: () => 0,
    async call(input, context): Promise<CallToolResult> {
      calls.push([name, input, context]);
      return { content: [{ type: "text", text: `${name} ran` }] };
    },
  };
}

/** What a model is given of tools, in the longest of the forms in which clients give it. */
function tokensOf(list: readonly Tool[], counter: TokenCounter): number {
  const forms = list.map(({ name, description, inputSchema: schema }) => [
    { name: `mcp__proxy__${name}`, description, input_schema: schema },
    {
      type: "function",
      name: `mcp__proxy__${name}`,
      description,
      strict: false,
      parameters: schema,
    },
    { type: "function", name: `proxy_${name}`, description, parameters: schema },
  ]);
  const bodies = [0, 1, 2].map((at) => JSON.stringify(forms.map((one) => one[at])));
  return Math.max(...bodies.map((body) => counter.count(body)));
}

const fixedOf = (proxied: readonly ProxiedTool[], counter: TokenCounter): number =>
  tokensOf(buildToolList(proxied, { listTokens: 0, counter, ...quiet }).tools, counter);

const ownTools = [
  { name: "search_artifact", inputSchema: { type: "object" as const }, run: async () => "found" },
];
const quiet = { ownTools, isStarting: false };

describe("the list", () => {
  it.each([
    ["estimated tokens", estimatedCounter, 3_000],
    ["characters", charCounter, 9_000],
  ])("is never above its budget in %s, and never shorter than it need be", (_, counter, max) => {
    let deferred = 0;
    fc.assert(
      fc.property(tools, fc.integer({ min: 0, max }), (given, listTokens) => {
        const proxied = given.map((one) => proxiedOf(one));
        const own = proxied.map(({ tool }) => tool);
        const list = buildToolList(proxied, { listTokens, counter, ...quiet });
        const before = tokensOf(own, counter);
        expect(list.tokens).toEqual({ before, after: tokensOf(list.tools, counter) });
        const shown = [
          ...own,
          { name: "search_artifact", inputSchema: { type: "object" as const } },
        ];
        const isDeferred = list.tools[0]?.name === "find_tools";
        expect(isDeferred).toBe(tokensOf(shown, counter) > listTokens);
        expect(isDeferred ? shown : list.tools).toEqual(shown);
        if (!isDeferred) return;
        deferred += 1;
        const fixed = fixedOf(proxied, counter);
        expect(list.tokens.after).toBeLessThanOrEqual(Math.max(listTokens, fixed));
        const names = list.tools.map(({ name }) => name);
        expect(names).toEqual(["find_tools", "describe_tools", "call_tool", "search_artifact"]);
      }),
    );
    expect(deferred).toBeGreaterThan(0);
  });

  it("is left as it is where it has exactly its budget, and not where it has one token less", () => {
    const given = [proxiedOf({ name: "files__read", description: "Reads a file. ".repeat(200) })];
    const build = (listTokens: number): ToolList =>
      buildToolList(given, { listTokens, counter: charCounter, ...quiet });
    const { after } = build(1_000_000).tokens;
    expect(build(after).tools[0]?.name).toBe("files__read");
    expect(build(after - 1).tools[0]?.name).toBe("find_tools");
  });

  it("names as many tools as there is room for beside what finds them", () => {
    const given = Array.from({ length: 200 }, (_, at) =>
      proxiedOf({ name: `tool${at * 7919}`, description: "Does it. ".repeat(20) }),
    );
    const fixed = fixedOf(given, charCounter);
    const namesIn = ({ tools: [finder] }: ToolList): string[] =>
      (finder?.description ?? "").match(/tool\d+/g) ?? [];
    for (const room of [40, 200, 1_000]) {
      const options = { listTokens: fixed + room, counter: charCounter, ...quiet };
      const list = buildToolList(given, options);
      const count = namesIn(list).length;
      expect(list.tools[0]?.description).toContain(`and ${200 - count} more`);
      expect(
        list.tools.slice(1).filter(({ description: text }) => text?.includes("tool7919")),
      ).toEqual([]);
      expect(room - (list.tokens.after - fixed)).toBeLessThan("tool1575881 ".length + 2);
    }
    const none = buildToolList(given, { listTokens: fixed, counter: charCounter, ...quiet });
    expect(namesIn(none)).toEqual([]);
    expect(none.tools[0]?.description).not.toContain("more");
  });
});

/** A call is handed on as it is, whatever it goes with. */
function callWith(value: object): ProxiedCall {
  if (isCall(value)) return value;
  throw new Error("unreachable");
}
function isCall(value: object): value is ProxiedCall & { context: ServerContext } {
  return isRecord(value);
}

describe("a call", () => {
  const calls: unknown[] = [];
  const given = [
    proxiedOf(
      {
        name: "files__read",
        description: "Reads a file.",
        properties: { path: { type: "string" } },
      },
      calls,
    ),
    proxiedOf({ name: "time__now", description: "Tells the time." }, calls),
  ];
  const context = callWith({ of: "the request" });
  const lists: [string, ToolList][] = [
    [
      "as they are",
      buildToolList(given, { listTokens: 10_000, counter: estimatedCounter, ...quiet }),
    ],
    ["behind three", buildToolList(given, { listTokens: 0, counter: estimatedCounter, ...quiet })],
  ];
  const textOf = async (list: ToolList, name: string, input: JsonRecord): Promise<string> => {
    const [first] = (await list.call(name, input, context))?.content ?? [];
    return first?.type === "text" ? first.text : "";
  };

  it.each(lists)("of a tool by its name runs it, with tools %s", async (_, list) => {
    expect(await textOf(list, "time__now", {})).toBe("time__now ran");
    expect(calls.splice(0)).toEqual([["time__now", {}, context]]);
    expect(await list.call("nothing", {}, context)).toBeUndefined();
    expect(calls).toEqual([]);
  });

  it("of one of the three finds, describes and runs the others", async () => {
    const list = buildToolList(given, { listTokens: 0, counter: estimatedCounter, ...quiet });
    expect(await textOf(list, "find_tools", { query: "time" })).toContain("time__now()");
    expect(await textOf(list, "describe_tools", { names: ["files__read"] })).toContain('"path"');
    const call = { name: "files__read", input: { path: "a" } };
    expect(await textOf(list, "call_tool", call)).toBe("files__read ran");
    expect(calls.splice(0)).toEqual([["files__read", { path: "a" }, context]]);
    expect(await textOf(list, "call_tool", { ...call, name: "file__raed" })).toMatch(
      /^There is no tool "file__raed".*\nNearest: files__read/,
    );
    expect(calls).toEqual([]);
  });

  it.each([
    [{ name: "files__read", arguments: { path: "a" } }],
    [{ tool: "files__read", args: '{"path":"a"}' }],
    [{ tool_name: "files__read", input: '{"path":"a"}' }],
  ])("is taken as a model writes it: %j", async (input) => {
    const list = buildToolList(given, { listTokens: 0, counter: estimatedCounter, ...quiet });
    expect(await textOf(list, "call_tool", input)).toBe("files__read ran");
    expect(calls.splice(0)).toEqual([["files__read", { path: "a" }, context]]);
    expect(await textOf(list, "call_tool", { ...input, path: "a" })).toMatch(
      /unknown parameter "path"; it takes name, input$/,
    );
  });

  it("is judged by the server alone, and explained by the schema where that refuses it", async () => {
    const path = { type: "string", format: "uri", maxLength: 3 };
    const one = proxiedOf({ name: "files__read", properties: { path } });
    const build = (call: ProxiedTool["call"]): ToolList =>
      buildToolList([{ ...one, call }], { listTokens: 0, counter: estimatedCounter, ...quiet });
    const asked = { name: "files__read", input: { path: "no uri", more: 1 } };
    expect(await textOf(build(one.call), "call_tool", asked)).toBe("files__read ran");
    const refuse = async (): Promise<never> => {
      throw new ProtocolError(-32_602, "path is wrong");
    };
    const refused = await build(refuse).call("call_tool", asked, context);
    expect(refused).toMatchObject({
      isError: true,
      content: [
        { text: "path is wrong" },
        { text: expect.stringMatching(/are invalid: .*path[^]*\nSchema: \{/) },
      ],
    });
    for (const error of [new Error("it has exited"), new ProtocolError(-32_603, "it has exited")]) {
      const fail = (): Promise<never> => Promise.reject(error);
      await expect(build(fail).call("call_tool", asked, context)).rejects.toThrow("has exited");
    }
  });
});
