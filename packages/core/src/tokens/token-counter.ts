import type { ChatMessage } from "../messages/chat-message.ts";
import type { ToolDescription } from "../models/tool-definition.ts";

/** Counts tokens as one model's tokenizer would. */
export interface TokenCounter {
  name: string;
  /** False for an estimate: a budget that is kept with it needs a safety margin. */
  isExact: boolean;
  /** 0 for the empty string, else at least 1. */
  count(text: string): number;
  /** Messages and tools, all that is sent of them, with the framing that the provider adds around them. */
  countMessages?(messages: ChatMessage[], tools?: ToolDescription[]): number;
}
