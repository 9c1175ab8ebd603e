/** Who speaks. `developer` is the operator's voice where a provider tells it apart from `system`. */
export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** What messages, their parts and tool calls may carry for one provider alone. */
export interface ProviderFields {
  /** Fields of a provider's wire format that have no counterpart here, keyed by provider. */
  providerMetadata?: Record<string, unknown> | undefined;
}

/** A run of plain text. */
export interface TextPart extends ProviderFields {
  type: "text";
  text: string;
}

/** An image or a file, by bytes or by address; one of `data` and `url` is set. */
export interface MediaPart extends ProviderFields {
  type: "image" | "file";
  /** An IANA media type such as `image/png`. */
  mimeType: string;
  data?: Uint8Array | undefined;
  url?: string | undefined;
  /** What its user calls the file. */
  filename?: string | undefined;
}

/** What a model thought before it answered; `signature` is the provider's proof, to be sent back unchanged. */
export interface ReasoningPart extends ProviderFields {
  type: "reasoning";
  text: string;
  signature?: string | undefined;
}

/**
 * A part of a provider's format that has no counterpart here. It passes through unchanged to that provider, is counted by
 * its JSON, and is left out only whole, together with the part that shares its `pairId`.
 */
export interface ProviderPart {
  type: "provider";
  /** The wire format that takes it back, such as `anthropic`. */
  provider: string;
  /** The part in that format: plain JSON. */
  raw: unknown;
  /** The same on a provider's own tool call and on its result. */
  pairId?: string | undefined;
}

/** One part of a message's content. */
export type Part = TextPart | MediaPart | ReasoningPart | ProviderPart;

/** A call that the model asks for. `arguments` is the model's own JSON text, unparsed. */
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
  /** Only on tool messages: the `id` of the call that this answers. */
  toolCallId?: string | undefined;
  /** Only on tool messages: the tool failed and `content` says how. */
  isError?: boolean | undefined;
  /** Where the message came from, for traces; never sent to a model. */
  source?: string | undefined;
}
