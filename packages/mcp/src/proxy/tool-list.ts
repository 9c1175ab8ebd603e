import { deferTools, nameList } from "@ccl/catalog";
import type { TokenCounter } from "@ccl/core";
import { isRecord, jsonText, type JsonRecord } from "@ccl/core/json";
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";

import { toolError } from "../server/server-tool.ts";

/** A tool of a server behind the proxy. */
export interface ProxiedTool {
  /** As the proxy's client calls it. */
  tool: Tool;
  call(input: JsonRecord, context: unknown): Promise<CallToolResult>;
}

/** What a client sees of the tools behind the proxy. */
export interface ToolList {
  tools: Tool[];
  /** Tokens of the list, and of the list that it stands for. */
  tokens: { before: number; after: number };
  isDeferred: boolean;
  /** Undefined for a tool that is not in the list. */
  call(
    name: string,
    input: JsonRecord,
    context: unknown,
  ): Promise<CallToolResult | undefined> | undefined;
}

const fixedNames = {
  find_tools: "find_tools",
  tool_schema: "describe_tools",
  call_tool: "call_tool",
};

/** Tokens of tools as a client gives them to its model. */
function countTools(tools: readonly Tool[], counter: TokenCounter): number {
  const shown = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  return counter.count(jsonText(shown));
}

/**
 * The tools as they are if they fit into `listTokens`; else `find_tools`, `tool_schema` and `call_tool`, with as many bare names
 * as there is room for.
 */
export function buildToolList(
  proxied: readonly ProxiedTool[],
  { listTokens, counter }: { listTokens: number; counter: TokenCounter },
): ToolList {
  const before = countTools(
    proxied.map(({ tool }) => tool),
    counter,
  );
  const byName = new Map(proxied.map((one) => [one.tool.name, one]));
  if (before <= listTokens)
    return {
      tools: proxied.map(({ tool }) => tool),
      tokens: { before, after: before },
      isDeferred: false,
      call: (name, input, context) => byName.get(name)?.call(input, context),
    };
  const deferred = deferTools(
    proxied.map(({ tool: { name, description, inputSchema } }) => ({
      name,
      description,
      inputSchema,
    })),
    {
      call: (name, input, context) => byName.get(name)?.call(isRecord(input) ? input : {}, context),
    },
  );
  const fixed = deferred.anthropic.map(
    ({ name, description, input_schema: inputSchema }): Tool => ({
      name: name === fixedNames.tool_schema ? "tool_schema" : name,
      description,
      inputSchema,
    }),
  );
  const budget = listTokens - countTools(fixed, counter);
  const names = nameList([...byName.keys()], { budget, counter });
  const tools = fixed.map((tool) =>
    tool.name === "find_tools" && names !== ""
      ? { ...tool, description: `${tool.description ?? ""}\n${names}` }
      : tool,
  );
  return {
    tools,
    tokens: { before, after: countTools(tools, counter) },
    isDeferred: true,
    call(name, input, context) {
      const inner = Object.entries(fixedNames).find(([shown]) => shown === name)?.[1];
      if (inner !== undefined) return deferred.call(inner, input, context).then(resultOf);
      // A model that knows the name from an earlier list or a document may use it.
      return byName.has(name)
        ? deferred.call("call_tool", { name, input }, context).then(resultOf)
        : undefined;
    },
  };
}

function resultOf(answer: unknown): CallToolResult {
  if (typeof answer === "string") return { content: [{ type: "text", text: answer }] };
  if (isRecord(answer) && isRecord(answer["error"])) {
    const { message, nearest, inputSchema } = answer["error"];
    const more = [
      Array.isArray(nearest) ? `Nearest: ${nearest.join(", ")}` : "",
      inputSchema === undefined ? "" : `Schema: ${jsonText(inputSchema)}`,
    ];
    return toolError([String(message), ...more].filter((line) => line !== "").join("\n"));
  }
  if (isResult(answer)) return answer;
  return { content: [{ type: "text", text: jsonText(answer) }] };
}

function isResult(answer: unknown): answer is CallToolResult {
  return isRecord(answer) && Array.isArray(answer["content"]);
}
