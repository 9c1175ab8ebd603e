import { compareCodeUnits, type MediaPart, type Part } from "@ccl/core";
import { fromBase64, isRecord, type JsonRecord, stringAt } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { BridgedTool, ToolBridge, ToolOutput } from "./tool-bridge.ts";

/** The request options that this bridge uses. */
interface McpRequestOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds. */
  timeout?: number | undefined;
}

/** The methods of a connected `@modelcontextprotocol/sdk` `Client` that this bridge calls. */
export interface McpClient {
  listTools(
    params?: { cursor?: string | undefined },
    options?: McpRequestOptions,
  ): Promise<{ tools: object[]; nextCursor?: string | undefined }>;
  callTool(
    params: { name: string; arguments?: Record<string, unknown> | undefined },
    resultSchema?: undefined,
    options?: McpRequestOptions,
  ): Promise<object>;
}

/** Extra time for the client beyond the handler's timeout, so that the handler's ends first. */
const marginMs = 5_000;
/** Maximum number of pages in a tool list, in case a server keeps returning new cursors. */
const maxPages = 100;

/**
 * Creates a bridge to the tools of an MCP server. A result's text, images, audio and resources
 * become parts, and `structuredContent` becomes its value.
 */
export function mcpToolBridge(client: McpClient): ToolBridge {
  return {
    async tools({ signal } = {}) {
      const options = signal === undefined ? {} : { signal };
      const found: BridgedTool[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < maxPages; page += 1) {
        const answer = await client.listTools(cursor === undefined ? {} : { cursor }, options);
        found.push(...answer.tools.map(readTool));
        cursor = answer.nextCursor;
        if (cursor === undefined) return found.sort((a, b) => compareCodeUnits(a.name, b.name));
      }
      throw new ContextCompilerError(
        "invalid_options",
        `The MCP server lists its tools in more than ${maxPages} pages.`,
      );
    },
    async call(name, input, { signal, timeoutMs }) {
      const params = isRecord(input) ? { name, arguments: input } : { name };
      const answer = await client.callTool(params, undefined, {
        signal,
        timeout: timeoutMs + marginMs,
      });
      return readAnswer(isRecord(answer) ? answer : {});
    },
  };
}

function readTool(tool: object): BridgedTool {
  const { name, inputSchema, outputSchema }: JsonRecord = { ...tool };
  if (typeof name !== "string" || name === "") {
    throw new ContextCompilerError(
      "invalid_options",
      "The MCP server lists a tool without a name.",
    );
  }
  return {
    name,
    description: stringAt(tool, "description"),
    inputSchema: isRecord(inputSchema) ? inputSchema : undefined,
    outputSchema: isRecord(outputSchema) ? outputSchema : undefined,
  };
}

function readAnswer({ content, structuredContent, isError }: JsonRecord): ToolOutput {
  const parts = (Array.isArray(content) ? content : []).map(readPart);
  const error = isError === true ? { isError } : {};
  const [only] = parts;
  const text = parts.length === 1 && only?.type === "text" ? only.text : undefined;
  if (structuredContent === undefined) return { content: text ?? parts, ...error };
  const isWritten = parts.length > 0;
  const written = isWritten ? (text ?? parts) : JSON.stringify(structuredContent);
  return { content: written, structured: structuredContent, ...error };
}

function readPart(block: unknown): Part {
  const wire: JsonRecord = isRecord(block) ? block : {};
  const { type, text, data, resource } = wire;
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "image" || type === "audio") return bytesPart(wire, data);
  if (type === "resource" && isRecord(resource)) return readResource(resource);
  if (type === "resource_link")
    return { type: "text", text: `[resource ${named(wire["name"], wire["uri"])}]` };
  return {
    type: "text",
    text: `[content of type ${JSON.stringify(type) ?? "none"}, not understood]`,
  };
}

function readResource(resource: JsonRecord): Part {
  const { uri, text, blob } = resource;
  if (typeof text === "string") return { type: "text", text };
  if (typeof blob === "string") {
    const part = bytesPart(resource, blob);
    return part.type === "file" ? (readText(part) ?? part) : part;
  }
  return { type: "text", text: `[resource ${named(undefined, uri)}, empty]` };
}

const textTypes = /^(?:text\/[^;]+|application\/json)(?:; ?charset=utf-8)?$/i;

/** Decodes text that a server sends as bytes, so that it is masked and summarized as text. */
function readText({ mimeType, data }: MediaPart): Part | undefined {
  if (data === undefined || !textTypes.test(mimeType)) return undefined;
  try {
    return { type: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(data) };
  } catch {
    return undefined;
  }
}

function named(name: unknown, uri: unknown): string {
  return [name, uri].filter((part) => typeof part === "string").join(" ") || "without a name";
}

function bytesPart(wire: JsonRecord, data: unknown): Part {
  const mimeType = stringAt(wire, "mimeType") ?? "application/octet-stream";
  const bytes = typeof data === "string" ? fromBase64(data) : undefined;
  if (bytes === undefined)
    return { type: "text", text: `[${mimeType} content that is not base64]` };
  return { type: mimeType.startsWith("image/") ? "image" : "file", mimeType, data: bytes };
}
