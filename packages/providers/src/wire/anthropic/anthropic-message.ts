/** Marks the end of a cached prefix. */
export interface AnthropicCacheControl {
  type: "ephemeral";
  ttl?: "5m" | "1h";
}

interface Cacheable {
  cache_control?: AnthropicCacheControl;
}

/** A text block. */
export interface AnthropicTextBlock extends Cacheable {
  type: "text";
  text: string;
}

/** Bytes or the address of an image. */
interface AnthropicImageBlock extends Cacheable {
  type: "image";
  source:
    | {
        type: "base64";
        media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        data: string;
      }
    | { type: "url"; url: string };
}

/** A PDF by bytes or address, or plain text. */
interface AnthropicDocumentBlock extends Cacheable {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string };
}

/** A call that the model asks for. */
interface AnthropicToolUseBlock extends Cacheable {
  type: "tool_use";
  id: string;
  name: string;
  input: Record<string, unknown>;
}

/** The answer to a call; stands in a user's turn, before anything else. */
interface AnthropicToolResultBlock extends Cacheable {
  type: "tool_result";
  tool_use_id: string;
  content?: string | (AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock)[];
  is_error?: boolean;
}

/** What the model thought, signed; shown or encrypted. */
type AnthropicThinkingBlock =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string };

/** One block of a turn. */
type AnthropicBlock =
  | AnthropicTextBlock
  | AnthropicImageBlock
  | AnthropicDocumentBlock
  | AnthropicToolUseBlock
  | AnthropicToolResultBlock
  | AnthropicThinkingBlock;

/** A turn of `/v1/messages`, or what the operator says between two; blocks that came in go out as they were. */
export type AnthropicMessage =
  | { role: "user" | "assistant"; content: string | AnthropicBlock[] }
  | { role: "system"; content: string | AnthropicTextBlock[] };

/** The two fields of a call of `/v1/messages` that hold a conversation; assignable to the official client's types. */
export interface AnthropicConversation {
  /** Absent without a message of the operator in front. */
  system?: string | AnthropicTextBlock[];
  messages: AnthropicMessage[];
}
