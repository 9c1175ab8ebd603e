import type { Issue } from "../result.ts";
import type { ChatMessage, ToolCall } from "../messages/chat-message.ts";
import type { ToolDescription } from "./tool-definition.ts";

/** What a model is known to support; an absent field means unknown, not unsupported. */
export interface ModelCapabilities {
  structuredOutput?: "json_schema" | "json_object" | "none" | undefined;
  tools?: boolean | undefined;
  /** Size of the context window in tokens, input and output together. */
  contextTokens?: number | undefined;
  promptCache?: "explicit" | "automatic" | "none" | undefined;
}

/** The one seam to a model. Adapters retry what may pass, unless `retries` is 0. */
export interface LanguageModel {
  provider: string;
  modelId: string;
  capabilities?: ModelCapabilities | undefined;
  /** @throws LanguageModelError with a code that says whether a retry can help. */
  generate(request: ModelRequest): Promise<ModelResponse>;
  /** Deltas in order, the last of which is `finish`. Present only where the adapter streams. */
  stream?(request: ModelRequest): AsyncIterable<ModelDelta>;
}

/** A model that streams, as all models of @ccl/providers do. */
export interface StreamingModel extends LanguageModel {
  stream(request: ModelRequest): AsyncIterable<ModelDelta>;
}

/** The shape that the answer's text is asked to have. */
export type ResponseFormat =
  | { type: "json_schema"; name: string; schema: object; strict?: boolean | undefined }
  | { type: "json_object" }
  | { type: "text" };

/** One call of a model. Sampling fields that are absent are left to the provider. */
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
  /** For the whole call, streaming included. */
  timeoutMs?: number | undefined;
  /** Passed to the provider as they are. */
  providerOptions?: Record<string, unknown> | undefined;
  signal?: AbortSignal | undefined;
}

/** Why the model stopped. `length` means that the answer is cut off. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "other";

/** What the provider counted for one call, in tokens. */
export interface ModelUsage {
  /** All input, cached tokens included. */
  inputTokens: number;
  outputTokens: number;
  /** Part of `outputTokens`. */
  reasoningTokens?: number | undefined;
  cachedInputTokens?: number | undefined;
  cacheWriteTokens?: number | undefined;
  costUsd?: number | undefined;
}

/** A whole answer. */
export interface ModelResponse {
  text: string;
  reasoning?: string | undefined;
  /** Empty when the model called nothing. */
  toolCalls: ToolCall[];
  finishReason: FinishReason;
  usage?: ModelUsage | undefined;
  /** The provider's id of the call, for support and logs. */
  requestId?: string | undefined;
  /** What the adapter left out of the request since the model does not take it, as `parameter_dropped` with its path. */
  warnings?: Issue[] | undefined;
  providerMetadata?: Record<string, unknown> | undefined;
}

/** One piece of a streamed answer. Tool calls come whole, once their arguments have ended. */
export type ModelDelta =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool_call"; toolCall: ToolCall }
  | { type: "finish"; response: ModelResponse };
