/** What a model sees of a function that it can call. */
export interface ToolDescription {
  name: string;
  /** Says when to call the tool and what it returns. */
  description: string;
  /** JSON Schema of the input, with an object at the root. */
  inputSchema: object;
  /** JSON Schema of the output, if the tool has one. */
  outputSchema?: object | undefined;
}

/** A function that a model can call. */
export interface ToolDefinition<Input = unknown, Output = unknown> extends ToolDescription {
  /**
   * Runs the tool. Bad input that can be expected resolves to a value that says so. A rejection is a failure of the
   * tool itself.
   */
  execute(input: Input, context: ToolContext): Promise<Output>;
}

/** What a running tool can learn about its call. */
export interface ToolContext {
  signal?: AbortSignal | undefined;
  /** The `id` of the model's tool call. */
  callId?: string | undefined;
}
