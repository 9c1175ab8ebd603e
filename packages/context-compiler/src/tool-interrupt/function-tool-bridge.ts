import type { Part, ToolDefinition } from "@ccl/core";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { isArtifactReader } from "./read-artifact-tool.ts";
import type { BridgedTool, ToolBridge, ToolOutput } from "./tool-bridge.ts";

/**
 * Tools that are functions of this process. A text is the answer as it is, `{ content: Part[] }` an answer in parts,
 * anything else an answer in JSON.
 * @throws ContextCompilerError `invalid_options` when two tools have one name
 */
export function functionToolBridge(tools: readonly ToolDefinition<never>[]): ToolBridge {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size !== tools.length) {
    throw new ContextCompilerError("invalid_options", "Two tools have the same name; give each a name of its own.");
  }
  const described = tools.map(describeTool);
  return {
    tools: () => Promise.resolve(described),
    async call(name, input, { callId, signal }) {
      const tool: ToolDefinition<never> | undefined = byName.get(name);
      if (tool === undefined)
        throw new ContextCompilerError("invalid_options", `There is no tool ${JSON.stringify(name)}.`);
      return toOutput(await run(tool, input, { callId, signal }));
    },
  };
}

function describeTool(tool: ToolDefinition<never>): BridgedTool {
  const { name, description, inputSchema, outputSchema } = tool;
  return {
    name,
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(isArtifactReader(tool) ? { readsArtifacts: true } : {}),
  };
}

/** The handler has checked the input against the tool's own schema. */
function run(
  tool: ToolDefinition<never>,
  input: unknown,
  context: { callId: string; signal: AbortSignal },
): Promise<unknown> {
  return Reflect.apply(tool.execute, tool, [input, context]);
}

function toOutput(answer: unknown): ToolOutput {
  if (typeof answer === "string") return { content: answer };
  if (answer === undefined) return { content: "" };
  if (isContent(answer)) return { content: answer.content };
  return { content: JSON.stringify(answer), structured: answer, mimeType: "application/json" };
}

const partTypes = new Set(["text", "image", "file"]);

function isContent(answer: unknown): answer is { content: Part[] } {
  if (typeof answer !== "object" || answer === null || !("content" in answer) || !Array.isArray(answer.content))
    return false;
  const { content } = answer;
  return (
    content.length > 0 &&
    content.every((part) => partTypes.has(part?.type) && (part.type !== "text" || typeof part.text === "string"))
  );
}
