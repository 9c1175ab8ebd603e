import { deferTools, nameList } from "@ccl/catalog";
import type { TokenCounter } from "@ccl/core";
import { isRecord, jsonText, type JsonRecord, recordAt } from "@ccl/core/json";
import {
  type CallToolResult,
  INVALID_PARAMS,
  ProtocolError,
  type Tool,
} from "@modelcontextprotocol/server";

import { readToolInput } from "../server/read-tool-input.ts";
import { issuesError, listedTool, type ServerTool, toolError } from "../server/server-tool.ts";
import type { ProxiedCall, ProxiedTool } from "./proxied-tools.ts";

/** The tools that a client of the proxy sees. */
export interface ToolList {
  tools: Tool[];
  /** Token counts of the servers' full list and of the client's list. */
  tokens: { before: number; after: number };
  /** Calls a tool. Returns undefined if it is unknown. */
  call(name: string, input: JsonRecord, call: ProxiedCall): Promise<CallToolResult> | undefined;
}

/** Options of `buildToolList`. */
interface ToolListOptions {
  listTokens: number;
  counter: TokenCounter;
  /** The proxy's own tools. */
  ownTools: readonly ServerTool[];
  /** True if some server has not answered yet. */
  isStarting: boolean;
}

/** Counts tools in the form in which clients pass them to a model: as functions, with the client's own prefix. */
export function countTools(tools: readonly Tool[], counter: TokenCounter): number {
  const given = tools.map(({ name, description, inputSchema: parameters }) => ({
    type: "function",
    name: `mcp__proxy__${name}`,
    description,
    strict: false,
    parameters,
  }));
  return counter.count(jsonText(given));
}

/**
 * Returns the tools unchanged if they fit into `listTokens` along with the proxy's own tools. Otherwise returns three
 * tools that find, describe and call them, with as many bare names as fit. While some server has not answered, lists
 * the three tools in addition to the available ones, for clients that never reread the list.
 */
export function buildToolList(
  proxied: readonly ProxiedTool[],
  { listTokens, counter, ownTools, isStarting }: ToolListOptions,
): ToolList {
  const all = proxied.map(({ tool }) => tool);
  const byName = new Map(proxied.map((one) => [one.tool.name, one]));
  const deferred = deferTools(all, { uses: { get: (name) => byName.get(name)?.uses() } });
  const fixed = deferred.anthropic.map(({ input_schema: inputSchema, ...rest }): Tool => ({
    ...rest,
    inputSchema,
  }));
  const own = ownTools.map(listedTool);
  const plain = [...(isStarting ? fixed : []), ...all, ...own];
  const isDeferred = countTools(plain, counter) > listTokens;
  const tools = isDeferred ? [...fixed, ...own] : plain;
  const [finder] = tools;
  if (isDeferred && finder !== undefined) {
    const budget = listTokens - countTools(tools, counter);
    const names = nameList([...byName.keys()], { budget, counter });
    if (names !== "") tools[0] = { ...finder, description: `${finder.description}\n${names}` };
  }
  return {
    tools,
    tokens: { before: countTools(all, counter), after: countTools(tools, counter) },
    call(name, given, call) {
      const direct = byName.get(name);
      const tool = fixed.find((one) => one.name === name);
      if (tool === undefined) return direct && explained(direct, given, call);
      const read = readToolInput(tool, given);
      if (!read.ok) return Promise.resolve(issuesError(read.issues));
      const called = name === "call_tool" && byName.get(String(read.value["name"]));
      return called
        ? explained(called, recordAt(read.value, "input"), call)
        : deferred.call(name, read.value).then(resultOf);
    },
  };
}

/** Adds the tool's schema to the result if the server rejects the arguments. The server validates them itself. */
async function explained(
  { tool, call: run }: ProxiedTool,
  input: JsonRecord,
  call: ProxiedCall,
): Promise<CallToolResult> {
  const result = await run(input, call).catch((error: unknown) => {
    if (ProtocolError.isInstance(error) && error.code === INVALID_PARAMS)
      return toolError(error.message);
    throw error;
  });
  const read = result.isError === true ? readToolInput(tool, input) : undefined;
  if (read?.ok !== false) return result;
  const text = `${read.issues[0]?.message}\nSchema: ${jsonText(tool.inputSchema)}`;
  return { ...result, content: [...result.content, { type: "text", text }] };
}

function resultOf(answer: unknown): CallToolResult {
  if (!isRecord(answer) || !isRecord(answer["error"])) {
    const text = typeof answer === "string" ? answer : jsonText(answer);
    return { content: [{ type: "text", text }] };
  }
  const { message, nearest } = answer["error"];
  return toolError(`${String(message)}\nNearest: ${[nearest ?? []].flat().join(", ")}`);
}
