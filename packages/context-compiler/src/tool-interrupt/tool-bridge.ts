import type { Part } from "@ccl/core";

/** What is known of a tool before it is called. */
export interface BridgedTool {
  name: string;
  description?: string | undefined;
  /** JSON Schema of the arguments. */
  inputSchema?: object | undefined;
  /** JSON Schema of the answer; registered by the handler, so that answers are held to it. */
  outputSchema?: object | undefined;
  /** Its answers are pieces of artifacts, which are never stored again. */
  readsArtifacts?: boolean | undefined;
}

/** What a tool answered, before anything was checked or masked. */
export interface ToolOutput {
  content: string | Part[];
  /** The answer as a value, where the tool gives one beside its text. */
  structured?: unknown;
  /** The tool says that it failed, and `content` says how. */
  isError?: boolean | undefined;
  /** Of the text in `content`; guessed when absent. */
  mimeType?: string | undefined;
}

/** What a call may know of itself. */
interface BridgeCall {
  callId: string;
  /** Ends with the call: by its time limit or by the caller. */
  signal: AbortSignal;
  timeoutMs: number;
}

/** The way to tools, wherever they run. */
export interface ToolBridge {
  /** In a stable order. */
  tools(options?: { signal?: AbortSignal | undefined }): Promise<readonly BridgedTool[]>;
  /** May reject, hang, or answer late: the handler copes with it. */
  call(name: string, input: unknown, call: BridgeCall): Promise<ToolOutput>;
}
