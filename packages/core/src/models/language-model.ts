import type { Issue } from "../result.ts";
import type { ChatMessage, ToolCall } from "../messages/chat-message.ts";
import type { ToolDescription } from "./tool-definition.ts";

/** The known capabilities of a model. An absent field means unknown, not unsupported. */
export interface ModelCapabilities {
  structuredOutput?: "json_schema" | "json_object" | "none" | undefined;
  tools?: boolean | undefined;
  /** Size of the context window in tokens, including input and output. */
  contextTokens?: number | undefined;
  promptCache?: "explicit" | "automatic" | "none" | undefined;
}

/** The interface to a model. Adapters retry temporary failures unless `retries` is 0. */
export interface LanguageModel {
  provider: string;
  modelId: string;
  capabilities?: ModelCapabilities | undefined;
  /** @throws LanguageModelError with a code that says whether a retry can help. */
  generate(request: ModelRequest): Promise<ModelResponse>;
  /** Yields deltas in order. The last one is `finish`. Absent if the adapter does not stream. */
  stream?(request: ModelRequest): AsyncIterable<ModelDelta>;
}

/** A model that streams, like every model of @ccl/providers. */
export interface StreamingModel extends LanguageModel {
  stream(request: ModelRequest): AsyncIterable<ModelDelta>;
}

/** The required format of the answer's text. */
export type ResponseFormat =
  | { type: "json_schema"; name: string; schema: object; strict?: boolean | undefined }
  | { type: "json_object" }
  | { type: "text" };

/** A model call. The provider chooses absent sampling fields. */
export interface ModelRequest {
  messages: ChatMessage[];
  tools?: ToolDescription[] | undefined;
  toolChoice?: "auto" | "none" | "required" | { name: string } | undefined;
  responseFormat?: ResponseFormat | undefined;
  temperature?: number | undefined;
  topP?: number | undefined;
  topK?: number | undefined;
  frequencyPenalty?: number | undefined;
  presencePenalty?: number | undefined;
  seed?: number | undefined;
  stop?: string[] | undefined;
  maxOutputTokens?: number | undefined;
  /** Time limit of the whole call, streaming included. */
  timeoutMs?: number | undefined;
  /** Passed to the provider unchanged. */
  providerOptions?: Record<string, unknown> | undefined;
  signal?: AbortSignal | undefined;
}

/** Why the model stopped. `length` means that the answer is incomplete. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "other";

/** The provider's token counts for one call. */
export interface ModelUsage {
  /** All input, including cached tokens. */
  inputTokens: number;
  outputTokens: number;
  /** Part of `outputTokens`. */
  reasoningTokens?: number | undefined;
  cachedInputTokens?: number | undefined;
  cacheWriteTokens?: number | undefined;
  costUsd?: number | undefined;
}

/** A complete answer. */
export interface ModelResponse {
  text: string;
  reasoning?: string | undefined;
  /** Empty if the model called no tools. */
  toolCalls: ToolCall[];
  finishReason: FinishReason;
  usage?: ModelUsage | undefined;
  /** The provider's id of the call, for support and logs. */
  requestId?: string | undefined;
  /**
   * Request parameters that the adapter dropped because the model does not accept them. Each is a
   * `parameter_dropped` issue with the parameter's path.
   */
  warnings?: Issue[] | undefined;
  providerMetadata?: Record<string, unknown> | undefined;
}

/**
 * One piece of a streamed answer. A tool call arrives as a whole, once its arguments are complete.
 */
export type ModelDelta =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool_call"; toolCall: ToolCall }
  | { type: "finish"; response: ModelResponse };
