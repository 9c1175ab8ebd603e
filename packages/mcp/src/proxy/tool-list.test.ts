import { estimatedCounter, type TokenCounter } from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { buildToolList, type ProxiedTool, type ToolList } from "./tool-list.ts";

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
    async call(input, context): Promise<CallToolResult> {
      calls.push([name, input, context]);
      return { content: [{ type: "text", text: `${name} ran` }] };
    },
  };
}

/** What a model is given of tools. */
function tokensOf(list: readonly Tool[], counter: TokenCounter): number {
  const given = list.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
  }));
  return counter.count(JSON.stringify(given));
}

const fixedOf = (proxied: readonly ProxiedTool[], counter: TokenCounter): number =>
  tokensOf(buildToolList(proxied, { listTokens: 0, counter }).tools, counter);

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
        const list = buildToolList(proxied, { listTokens, counter });
        const before = tokensOf(own, counter);
        expect(list.tokens).toEqual({ before, after: tokensOf(list.tools, counter) });
        expect(list.isDeferred).toBe(before > listTokens);
        expect(list.isDeferred ? own : list.tools).toEqual(own);
        if (!list.isDeferred) return;
        deferred += 1;
        const fixed = fixedOf(proxied, counter);
        expect(list.tokens.after).toBeLessThanOrEqual(Math.max(listTokens, fixed));
        const names = list.tools.map(({ name }) => name);
        expect(names).toEqual(["find_tools", "tool_schema", "call_tool"]);
      }),
    );
    expect(deferred).toBeGreaterThan(0);
  });

  it("names as many tools as there is room for beside what finds them", () => {
    const given = Array.from({ length: 200 }, (_, at) =>
      proxiedOf({ name: `tool${at * 7919}`, description: "Does it. ".repeat(20) }),
    );
    const fixed = fixedOf(given, charCounter);
    const namesIn = ({ tools: [finder] }: ToolList): string[] =>
      (finder?.description ?? "").match(/tool\d+/g) ?? [];
    for (const room of [40, 200, 1_000]) {
      const options = { listTokens: fixed + room, counter: charCounter };
      const list = buildToolList(given, options);
      const count = namesIn(list).length;
      expect(list.tools[0]?.description).toContain(`and ${200 - count} more`);
      expect(
        list.tools.slice(1).filter(({ description: text }) => text?.includes("tool7919")),
      ).toEqual([]);
      expect(room - (list.tokens.after - fixed)).toBeLessThan("tool1575881 ".length + 2);
    }
    const none = buildToolList(given, { listTokens: fixed, counter: charCounter });
    expect(namesIn(none)).toEqual([]);
    expect(none.tools[0]?.description).not.toContain("more");
  });
});

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
  const context = { of: "the request" };
  const lists: [string, ToolList][] = [
    ["as they are", buildToolList(given, { listTokens: 10_000, counter: estimatedCounter })],
    ["behind three", buildToolList(given, { listTokens: 0, counter: estimatedCounter })],
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
    const list = buildToolList(given, { listTokens: 0, counter: estimatedCounter });
    expect(await textOf(list, "find_tools", { query: "time" })).toContain("time__now()");
    expect(await textOf(list, "tool_schema", { names: ["files__read"] })).toContain('"path"');
    const call = { name: "files__read", input: { path: "a" } };
    expect(await textOf(list, "call_tool", call)).toBe("files__read ran");
    expect(calls.splice(0)).toEqual([["files__read", { path: "a" }, context]]);
    const wrong = await list.call("call_tool", { ...call, input: { path: 1 } }, context);
    expect(wrong?.isError).toBe(true);
    const text = await textOf(list, "call_tool", { ...call, input: { path: 1 } });
    expect(text).toMatch(/^The arguments of files__read do not fit: .*\nSchema: \{.*"path"/);
    expect(await textOf(list, "call_tool", { ...call, name: "file__raed" })).toMatch(
      /^There is no tool "file__raed".*\nNearest: files__read/,
    );
    expect(calls).toEqual([]);
  });
});
