import type { Part } from "@ccl/core";

/** A tool's description, available before it is called. */
export interface BridgedTool {
  name: string;
  description?: string | undefined;
  /** JSON Schema of the arguments. */
  inputSchema?: object | undefined;
  /** JSON Schema of the result. The handler registers it and validates results against it. */
  outputSchema?: object | undefined;
  /** True if its results are pieces of artifacts. Such results are never stored again. */
  readsArtifacts?: boolean | undefined;
}

/** A tool's result before checking and masking. */
export interface ToolOutput {
  content: string | Part[];
  /** The result as a value, if the tool returns one in addition to its text. */
  structured?: unknown;
  /** True if the tool reports a failure. `content` describes it. */
  isError?: boolean | undefined;
  /** The media type of the text in `content`. Guessed by default. */
  mimeType?: string | undefined;
}

/** The context of one call. */
interface BridgeCall {
  callId: string;
  /** Aborts when the call ends, either at its time limit or by the caller. */
  signal: AbortSignal;
  timeoutMs: number;
}

/** Provides access to tools, wherever they run. */
export interface ToolBridge {
  /** Lists the tools in a stable order. */
  tools(options?: { signal?: AbortSignal | undefined }): Promise<readonly BridgedTool[]>;
  /** Runs a tool. It may reject, hang, or answer late. The handler copes with all three. */
  call(name: string, input: unknown, call: BridgeCall): Promise<ToolOutput>;
}
