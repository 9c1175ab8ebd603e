import type { ArtifactHandle } from "@ccl/artifact-store";
import type { CompressedContent } from "@ccl/compress";
import { CclError, type Issue } from "@ccl/core";
import { isRecord, type JsonRecord } from "@ccl/core/json";
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  isSpecType,
  type Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";

/** A tool's list entry and its implementation. */
export interface ServerTool extends Tool {
  run(input: JsonRecord, call: ServerToolCall): Promise<ToolAnswer>;
}

/**
 * Text, a result, or a question to the user. Some clients pass `structuredContent` to their model and drop the text, so
 * a result has it only if it contains everything that the text says.
 */
export type ToolAnswer = string | CallToolResult | InputRequiredResult;

/** The context of a running tool's call. */
export interface ServerToolCall {
  signal: AbortSignal;
  context: ServerContext;
  /** The session that stores the results, so that its searches find them. */
  sessionId: string;
  /** True if the client can ask its user. */
  canAsk: boolean;
  /** Reports progress if the client requested it. */
  progress(done: number, total?: number, message?: string): void;
}

/** Creates a tool that changes nothing. */
export function readingTool(
  { properties, required, ...listed }: Omit<ServerTool, "inputSchema" | "run"> & ObjectSchema,
  run: ServerTool["run"],
): ServerTool {
  const inputSchema = { type: "object" as const, properties, ...(required && { required }) };
  return { ...listed, inputSchema, annotations: { readOnlyHint: true }, run };
}

interface ObjectSchema {
  properties: NonNullable<Tool["inputSchema"]["properties"]>;
  required?: string[];
}

/** Returns the tool's list entry. */
export function listedTool(tool: ServerTool): Tool {
  const { run: _, ...listed } = tool;
  return listed;
}

/** Returns a failed result that says what the model should do differently. */
export function toolError(message: string): CallToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

/** Returns a failed result with all issues, one per line. */
export function issuesError(issues: readonly Issue[]): CallToolResult {
  return toolError(issues.map(({ message }) => message).join("\n"));
}

/** Checks the arguments and runs the tool. Rejects only on abort. */
export async function runTool(
  tool: ServerTool,
  input: JsonRecord,
  call: ServerToolCall,
): Promise<CallToolResult | InputRequiredResult> {
  const { readToolInput } = await import("./read-tool-input.ts");
  const read = readToolInput(tool, input);
  if (!read.ok) return issuesError(read.issues);
  try {
    const result = await tool.run(read.value, call);
    return typeof result === "string" ? { content: [{ type: "text", text: result }] } : result;
  } catch (error) {
    if (call.signal.aborted) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const code = CclError.isInstance(error) ? ` (${error.code})` : "";
    return toolError(`${tool.name} failed${code}: ${reason.slice(0, 1_000)}`);
  }
}

/** Returns the line that says what was omitted and where it is stored. */
export function storedLine(
  { artifactId }: Pick<ArtifactHandle, "artifactId">,
  { shown, omitted, numbering }: Pick<CompressedContent, "shown" | "omitted" | "numbering">,
): string {
  const count = `${shown} of ${shown + omitted} ${numbering}`;
  return `[artifact ${artifactId.slice(0, 12)}: ${count} shown; search_artifact or read_artifact give the rest]`;
}

/** Returns the client's capabilities, from the request or, in the older protocol, from the handshake. */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope: unknown = mcpReq.envelope;
  const given = isRecord(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  return areCapabilities(given) ? given : (server.getClientCapabilities() ?? {});
}

function areCapabilities(value: unknown): value is ClientCapabilities {
  return isSpecType.ClientCapabilities(value);
}
