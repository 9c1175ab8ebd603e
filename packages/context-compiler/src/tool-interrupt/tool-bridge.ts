import type { Part } from "@ccl/core";

/** What is known of a tool before it is called. */
export interface BridgedTool {
  name: string;
  description?: string | undefined;
  /** JSON Schema of the arguments. */
  inputSchema?: object | undefined;
  /** JSON Schema of the result. The handler registers it and checks results against it. */
  outputSchema?: object | undefined;
  /** Its results are pieces of artifacts, which are never stored again. */
  readsArtifacts?: boolean | undefined;
}

/** A tool's result before it is checked and masked. */
export interface ToolOutput {
  content: string | Part[];
  /** The result as a value, if the tool returns one besides its text. */
  structured?: unknown;
  /** The tool reports a failure that `content` describes. */
  isError?: boolean | undefined;
  /** The media type of the text in `content`. Guessed by default. */
  mimeType?: string | undefined;
}

/** What a call knows about itself. */
interface BridgeCall {
  callId: string;
  /** Aborts when the call ends, by its time limit or by the caller. */
  signal: AbortSignal;
  timeoutMs: number;
}

/** Gives access to tools in any place. */
export interface ToolBridge {
  /** In a stable order. */
  tools(options?: { signal?: AbortSignal | undefined }): Promise<readonly BridgedTool[]>;
  /** May reject, hang, or answer late. The handler deals with that. */
  call(name: string, input: unknown, call: BridgeCall): Promise<ToolOutput>;
}
