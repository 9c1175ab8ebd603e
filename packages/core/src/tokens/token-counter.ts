import type { ChatMessage } from "../messages/chat-message.ts";
import type { ToolDescription } from "../models/tool-definition.ts";

/** Counts tokens as one model's tokenizer would. */
export interface TokenCounter {
  name: string;
  /** False for an estimate. A budget that relies on it needs a safety margin. */
  isExact: boolean;
  /** 0 for the empty string, else at least 1. */
  count(text: string): number;
  /** Everything of messages and tools that is sent, including the framing that the provider adds. */
  countMessages?(messages: ChatMessage[], tools?: ToolDescription[]): number;
}
