import { CclError, type Issue } from "@ccl/core";
import type { JsonRecord } from "@ccl/core/json";
import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";

/** A tool as the list shows it, and what runs it. */
export interface ServerTool extends Tool {
  run(input: JsonRecord, call: ServerToolCall): Promise<ToolAnswer>;
}

/**
 * A text alone, a result, or a question to the user. Some clients give their model `structuredContent` and drop the text, so a
 * result has it only where it says all that the text says.
 */
export type ToolAnswer = string | CallToolResult | InputRequiredResult;

/** What a running tool may know of its call. */
export interface ServerToolCall {
  signal: AbortSignal;
  context: ServerContext;
  /** Under which results are stored, so that the session finds them. */
  sessionId: string;
  /** True where the client can ask its user. */
  canAsk: boolean;
  /** Reports progress, where the client asked for it. */
  progress(done: number, total?: number, message?: string): void;
}

/** The tool as a list shows it. */
export function listedTool(tool: ServerTool): Tool {
  const { run: _, ...listed } = tool;
  return listed;
}

/** A result that says what the model should do differently. */
export function toolError(message: string): CallToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

/** A failed result with all issues, one a line. */
export function issuesError(issues: readonly Issue[]): CallToolResult {
  return toolError(issues.map(({ message }) => message).join("\n"));
}

/** Checks the arguments and runs the tool; only an abort rejects. */
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
