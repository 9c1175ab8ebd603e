import { failure, success, type Issue, type Result, type ToolCall } from "@ccl/core";
import type { ValidateFunction } from "ajv";
import { compileSchema, toIssue } from "./schema-registry.ts";
import type { BridgedTool } from "./tool-bridge.ts";

/** A call with valid arguments. */
export interface CheckedCall {
  input: unknown;
  outputSchema: object | undefined;
  isArtifactRead: boolean;
}

/** How many names an answer about an unknown tool lists. */
const listedNames = 40;
const validators = new WeakMap<object, ValidateFunction>();

/** The arguments as a value; or, in words for the model, why the call is refused. `tool` is the list of tools where none has the name. */
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
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function checkInput(name: string, schema: object, input: unknown): Issue[] {
  const validate = validators.get(schema) ?? compileSchema(name, schema);
  validators.set(schema, validate);
  if (validate(input)) return [];
  return (validate.errors ?? []).slice(0, 20).map((error) => {
    const { path, message } = toIssue(error);
    return {
      code: "invalid_arguments",
      path,
      message: `Argument /${path.join("/")} of ${name}: ${message}.`,
    };
  });
}
