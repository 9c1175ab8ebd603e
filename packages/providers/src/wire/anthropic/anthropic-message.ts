/** Marks where a cached prefix ends. */
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

/** An image, as bytes or a URL. */
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

/** A PDF as bytes or a URL, or plain text. */
interface AnthropicDocumentBlock extends Cacheable {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string };
}

/** A tool call by the model. */
interface AnthropicToolUseBlock extends Cacheable {
  type: "tool_use";
  id: string;
  name: string;
  input: Record<string, unknown>;
}

/** The result of a tool call. Comes first in a user turn. */
interface AnthropicToolResultBlock extends Cacheable {
  type: "tool_result";
  tool_use_id: string;
  content?: string | (AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock)[];
  is_error?: boolean;
}

/** The model's signed thinking, as plain text or encrypted. */
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
 * A `/v1/messages` turn, or a system message between two turns. Blocks that came from the API are sent back unchanged.
 */
export type AnthropicMessage =
  | { role: "user" | "assistant"; content: string | AnthropicBlock[] }
  | { role: "system"; content: string | AnthropicTextBlock[] };

/** The two fields of a `/v1/messages` call that hold the conversation. Assignable to the official client's types. */
export interface AnthropicConversation {
  /** Absent unless the conversation starts with system or developer messages. */
  system?: string | AnthropicTextBlock[];
  messages: AnthropicMessage[];
}
