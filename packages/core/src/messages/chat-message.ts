/**
 * The author of a message. `developer` is the operator, for providers that distinguish it from
 * `system`.
 */
export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** Provider-specific fields of a message, part or tool call. */
export interface ProviderFields {
  /** Fields of a provider's wire format that have no counterpart here, keyed by provider. */
  providerMetadata?: Record<string, unknown> | undefined;
}

/** A piece of plain text. */
export interface TextPart extends ProviderFields {
  type: "text";
  text: string;
}

/** An image or a file, by its bytes or its address. Either `data` or `url` is set. */
export interface MediaPart extends ProviderFields {
  type: "image" | "file";
  /** An IANA media type such as `image/png`. */
  mimeType: string;
  data?: Uint8Array | undefined;
  url?: string | undefined;
  /** The file name that the user sees. */
  filename?: string | undefined;
}

/** A model's reasoning before its answer. `signature` is the provider's proof and must be sent back unchanged. */
export interface ReasoningPart extends ProviderFields {
  type: "reasoning";
  text: string;
  signature?: string | undefined;
}

/**
 * A part of a provider's format that has no counterpart here. It is sent to that provider unchanged and counted by its
 * JSON. It can only be removed as a whole, together with the part that has the same `pairId`.
 */
export interface ProviderPart {
  type: "provider";
  /** The wire format that accepts it, such as `anthropic`. */
  provider: string;
  /** The part in that format: plain JSON. */
  raw: unknown;
  /** Pairs a provider's own tool call with its result: both have the same id. */
  pairId?: string | undefined;
}

/** One part of a message's content. */
export type Part = TextPart | MediaPart | ReasoningPart | ProviderPart;

/** A call that the model requests. `arguments` is the model's own JSON text, unparsed. */
export interface ToolCall extends ProviderFields {
  id: string;
  name: string;
  arguments: string;
}

/** One message of a conversation, independent of any provider's wire format. */
export interface ChatMessage extends ProviderFields {
  id?: string | undefined;
  role: Role;
  content: string | Part[];
  /** Only on assistant messages. */
  toolCalls?: ToolCall[] | undefined;
  /** Only on tool messages: the `id` of the call that this message answers. */
  toolCallId?: string | undefined;
  /** Only on tool messages: true if the tool failed. `content` then describes the failure. */
  isError?: boolean | undefined;
  /** Where the message came from, for traces. Never sent to a model. */
  source?: string | undefined;
}
