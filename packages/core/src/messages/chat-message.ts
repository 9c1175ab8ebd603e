/** Who wrote a message. `developer` is the operator if a provider distinguishes it from `system`. */
export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** Fields for one provider that messages, parts and tool calls may carry. */
export interface ProviderFields {
  /** Fields of a provider's wire format that have no counterpart here, keyed by provider. */
  providerMetadata?: Record<string, unknown> | undefined;
}

/** A run of plain text. */
export interface TextPart extends ProviderFields {
  type: "text";
  text: string;
}

/** An image or a file, by bytes or by address. One of `data` and `url` is set. */
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
 * A part of a provider's format that has no counterpart here. It is sent to that provider unchanged, is counted by its
 * JSON, and is left out only whole, together with the part that shares its `pairId`.
 */
export interface ProviderPart {
  type: "provider";
  /** The wire format that accepts it, such as `anthropic`. */
  provider: string;
  /** The part in that format: plain JSON. */
  raw: unknown;
  /** Equal on a provider's own tool call and on its result. */
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
  /** Only on tool messages: the tool failed and `content` says how. */
  isError?: boolean | undefined;
  /** Where the message came from, for traces; never sent to a model. */
  source?: string | undefined;
}
