import type { ChatMessage } from "../messages/chat-message.ts";
import type { ToolDescription } from "../models/tool-definition.ts";

/** Counts tokens like one model's tokenizer. */
export interface TokenCounter {
  name: string;
  /** False for an estimate. A budget that relies on it needs a safety margin. */
  isExact: boolean;
  /** Counts a string. Returns 0 for the empty string, otherwise 1 or more. */
  count(text: string): number;
  /** Counts everything that is sent for messages and tools, including the provider's framing. */
  countMessages?(messages: ChatMessage[], tools?: ToolDescription[]): number;
}
