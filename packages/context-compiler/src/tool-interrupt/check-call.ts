import { failure, success, type Issue, type Result, type ToolCall } from "@ccl/core";
import { isRecord, parseJson } from "@ccl/core/json";
import { checkerOf } from "./checker-of.ts";
import type { BridgedTool } from "./tool-bridge.ts";

/** A call with valid arguments. */
interface CheckedCall {
  input: unknown;
  outputSchema: object | undefined;
  isArtifactRead: boolean;
}

/** Maximum number of names to list in answer to an unknown tool. */
const listedNames = 40;

/**
 * Parses and checks the arguments of a call. The issues explain to the model why a call was
 * refused. If no tool has the name, `tool` is the list of all tools.
 */
export function checkCall(
  call: ToolCall,
  tool: BridgedTool | readonly BridgedTool[],
): Result<CheckedCall> {
  if (!("name" in tool)) return failure(unknownTool(call.name, tool));
  const input = parseArguments(call.arguments);
  if (input === undefined) {
    const message = `The arguments of ${call.name} are not a JSON object. Call it again with valid JSON.`;
    return failure({ code: "invalid_arguments", path: [], message });
  }
  const { inputSchema, outputSchema, readsArtifacts = false } = tool;
  const issues = inputSchema === undefined ? [] : checkInput(call.name, inputSchema, input);
  const [first, ...rest] = issues;
  return first === undefined
    ? success({ input, outputSchema, isArtifactRead: readsArtifacts })
    : failure(first, ...rest);
}

function unknownTool(name: string, tools: readonly BridgedTool[]): Issue {
  const names = tools.map((tool) => tool.name);
  const shown = names.slice(0, listedNames).join(", ");
  const more = names.length > listedNames ? ` and ${names.length - listedNames} more` : "";
  const message = `There is no tool ${JSON.stringify(name.slice(0, 80))}. There are: ${shown}${more}.`;
  return { code: "unknown_tool", path: [], message };
}

function parseArguments(text: string): unknown {
  const value = text.trim() === "" ? {} : parseJson(text);
  return isRecord(value) ? value : undefined;
}

function checkInput(name: string, schema: object, input: unknown): Issue[] {
  const result = checkerOf(name, schema)(input);
  if (result.ok) return [];
  return result.issues.slice(0, 20).map(({ path, message }) => ({
    code: "invalid_arguments",
    path,
    message: `Argument /${path.join("/")} of ${name}: ${message}.`,
  }));
}
