/** What a model sees of a function that it may call. */
export interface ToolDescription {
  name: string;
  /** Says when to call the tool and what comes back. */
  description: string;
  /** JSON Schema of the input, with an object at the root. */
  inputSchema: object;
  /** JSON Schema of the output, where the tool has one. */
  outputSchema?: object | undefined;
}

/** A function that a model may call. */
export interface ToolDefinition<Input = unknown, Output = unknown> extends ToolDescription {
  /** Runs the tool. Expected bad input resolves to a value that says so; a rejection is a failure of the tool itself. */
  execute(input: Input, context: ToolContext): Promise<Output>;
}

/** What a running tool may know of its call. */
export interface ToolContext {
  signal?: AbortSignal | undefined;
  /** The `id` of the model's tool call. */
  callId?: string | undefined;
}
