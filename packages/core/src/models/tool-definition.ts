/** The description of a tool that a model sees. */
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
   * Runs the tool. For expected bad input it resolves to a value that describes the problem. A
   * rejection means that the tool itself failed.
   */
  execute(input: Input, context: ToolContext): Promise<Output>;
}

/** The context of a tool call. */
export interface ToolContext {
  signal?: AbortSignal | undefined;
  /** The `id` of the model's tool call. */
  callId?: string | undefined;
}
