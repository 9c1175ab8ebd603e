import { CclError, type Issue } from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";
import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";

/** A tool's list entry and its implementation. */
export interface ServerTool extends Tool {
  run(input: JsonRecord, call: ServerToolCall): Promise<ToolAnswer>;
}

/**
 * A text, a result, or a question to the user. Some clients give their model `structuredContent` and drop the text, so
 * a result has it only if it says everything that the text says.
 */
export type ToolAnswer = string | CallToolResult | InputRequiredResult;

/** What a running tool knows about its call. */
export interface ServerToolCall {
  signal: AbortSignal;
  context: ServerContext;
  /** The session under which results are stored, so that its searches find them. */
  sessionId: string;
  /** Whether the client can ask its user. */
  canAsk: boolean;
  /** Reports progress, if the client requested it. */
  progress(done: number, total?: number, message?: string): void;
}

/** The tool's list entry. */
export function listedTool(tool: ServerTool): Tool {
  const { run: _, ...listed } = tool;
  return listed;
}

/** A failed result that says what the model should do differently. */
export function toolError(message: string): CallToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

/** A failed result with all issues, one per line. */
export function issuesError(issues: readonly Issue[]): CallToolResult {
  return toolError(issues.map(({ message }) => message).join("\n"));
}

/** Checks the arguments and runs the tool. Rejects only if aborted. */
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
