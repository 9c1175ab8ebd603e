import { imageTypeOf, type MediaPart, type Part, type ToolDefinition } from "@ccl/core";
import { arrayAt, fromBase64, isRecord } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";
import { isArtifactReader } from "./create-artifact-tools.ts";
import type { BridgedTool, ToolBridge, ToolOutput } from "./tool-bridge.ts";
import { writeJson } from "./write-json.ts";

/**
 * Creates a bridge to functions in this process. A string is returned unchanged. `{ content:
 * Part[], isError? }` is an answer in parts. Bytes are an image or a file. An `Error` is a failure
 * with its message. Undefined becomes empty text. Anything else becomes JSON (see `writeJson`). A
 * value without a JSON form, such as a function or a stream, is reported as a failure.
 * @throws ContextCompilerError `invalid_options` if two tools have the same name
 */
export function functionToolBridge(tools: readonly ToolDefinition<never>[]): ToolBridge {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size !== tools.length) {
    throw new ContextCompilerError(
      "invalid_options",
      "Two tools have the same name. Rename one of them.",
    );
  }
  const described = tools.map(describeTool);
  return {
    tools: () => Promise.resolve(described),
    async call(name, input, { callId, signal }) {
      const tool: ToolDefinition<never> | undefined = byName.get(name);
      if (tool === undefined)
        throw new ContextCompilerError(
          "invalid_options",
          `There is no tool ${JSON.stringify(name)}.`,
        );
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
    outputSchema,
    readsArtifacts: isArtifactReader(tool) ? true : undefined,
  };
}

/** Runs a tool. The handler has already checked the input against the tool's own schema. */
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
  if (answer instanceof Error) throw answer;
  const bytes = answer instanceof ArrayBuffer ? new Uint8Array(answer) : answer;
  if (bytes instanceof Uint8Array) return { content: [bytesPart(bytes)] };
  const content = partsOf(answer);
  if (content !== undefined)
    return { content, isError: isRecord(answer) && answer["isError"] === true ? true : undefined };
  return { content: writeJson(answer, "The tool's answer"), mimeType: "application/json" };
}

function bytesPart(data: Uint8Array): Part {
  const mimeType = imageTypeOf(data);
  return mimeType === undefined
    ? { type: "file", mimeType: "application/octet-stream", data }
    : { type: "image", mimeType, data };
}

/**
 * Reads an answer in parts. Data may be bytes or, as in MCP, base64. Returns undefined for any
 * other answer.
 */
function partsOf(answer: unknown): Part[] | undefined {
  const parts = arrayAt(answer, "content").map(partOf);
  return parts.length > 0 && parts.every((part) => part !== undefined) ? parts : undefined;
}

function partOf(part: unknown): Part | undefined {
  if (!isRecord(part)) return undefined;
  const { type, text, mimeType, data: rawData, url } = part;
  if (type === "text") return typeof text === "string" ? { ...part, type, text } : undefined;
  if ((type !== "image" && type !== "file") || typeof mimeType !== "string") return undefined;
  const media: Omit<MediaPart, "data" | "url"> = { ...part, type, mimeType };
  const data = typeof rawData === "string" ? fromBase64(rawData) : rawData;
  if (data instanceof Uint8Array) return { ...media, data };
  return rawData === undefined && typeof url === "string" ? { ...media, url } : undefined;
}
