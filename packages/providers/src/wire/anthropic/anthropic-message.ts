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

/** An image by bytes or address. */
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

/** A tool call of the model. */
interface AnthropicToolUseBlock extends Cacheable {
  type: "tool_use";
  id: string;
  name: string;
  input: Record<string, unknown>;
}

/** The result of a call. Comes first in a user's turn. */
interface AnthropicToolResultBlock extends Cacheable {
  type: "tool_result";
  tool_use_id: string;
  content?: string | (AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock)[];
  is_error?: boolean;
}

/** The model's thinking, signed, in plain text or encrypted. */
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

/**
 * A turn of `/v1/messages`, or a system message between two turns. Blocks that came from the API are sent unchanged.
 */
export type AnthropicMessage =
  | { role: "user" | "assistant"; content: string | AnthropicBlock[] }
  | { role: "system"; content: string | AnthropicTextBlock[] };

/** The two fields of a `/v1/messages` call that hold a conversation. Assignable to the official client's types. */
export interface AnthropicConversation {
  /** Absent if no system or developer message leads. */
  system?: string | AnthropicTextBlock[];
  messages: AnthropicMessage[];
}
