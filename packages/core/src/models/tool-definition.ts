/** A function that a model may call. */
export interface ToolDefinition<Input = unknown, Output = unknown> {
  name: string;
  /** Shown to the model; says when to call the tool and what comes back. */
  description: string;
  /** JSON Schema of `Input`, with an object at the root. */
  inputSchema: object;
  /** JSON Schema of `Output`, where the tool has one. */
  outputSchema?: object | undefined;
  /** Runs the tool. Expected bad input resolves to a value that says so; a rejection is a failure of the tool itself. */
  execute(input: Input, context: ToolContext): Promise<Output>;
}

/** What a running tool may know of its call. */
export interface ToolContext {
  signal?: AbortSignal | undefined;
  /** The `id` of the model's tool call. */
  callId?: string | undefined;
}
