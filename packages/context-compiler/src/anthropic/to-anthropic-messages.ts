import type { ChatMessage, ToolCall } from "@ccl/core";
import { unsupportedMessage } from "../wire/unsupported-message.ts";
import { isWireRecord, keptFields } from "../wire/wire-fields.ts";
import type {
  AnthropicBlock,
  AnthropicCacheControl,
  AnthropicConversation,
  AnthropicMessage,
  AnthropicTextBlock,
} from "./anthropic-message.ts";
import { textBlocks, toBlocks, toResultBlock } from "./to-blocks.ts";

/** Where a prompt's cached prefixes end. */
export interface AnthropicMessagesOptions {
  /** Indexes of messages, as `WorkingContext.breakpoints` has them; the API takes at most 4 in all, tools included. */
  breakpoints?: readonly number[];
  /** What a breakpoint says; five minutes by default. */
  cacheControl?: AnthropicCacheControl;
}

/**
 * Leading system and developer messages become `system`, tool results blocks of the user's turn; messages of one speaker
 * in a row become one turn, as the API would make of them.
 * @throws ContextCompilerError `unsupported_message` for a later system message, unsigned reasoning, call arguments that are no JSON object
 */
export function toAnthropicMessages(
  messages: readonly ChatMessage[],
  { breakpoints = [], cacheControl = { type: "ephemeral" } }: AnthropicMessagesOptions = {},
): AnthropicConversation {
  const marked = new Set(breakpoints);
  const system: AnthropicTextBlock[] = [];
  const turns: AnthropicMessage[] = [];
  for (const [index, message] of messages.entries()) {
    const cache = marked.has(index) ? cacheControl : undefined;
    if (message.role === "system" || message.role === "developer") {
      if (turns.length > 0) {
        throw unsupportedMessage("anthropic", `a ${message.role} message after the first turn`, "move it to the front");
      }
      system.push(...withCache(textBlocks(message), cache));
    } else {
      addToTurns(turns, message.role === "assistant" ? "assistant" : "user", withCache(blocksOf(message), cache));
    }
  }
  return { system, messages: turns };
}

function addToTurns(turns: AnthropicMessage[], role: AnthropicMessage["role"], blocks: AnthropicBlock[]): void {
  const last = turns.at(-1);
  if (last?.role === role) last.content.push(...blocks);
  else if (blocks.length > 0) turns.push({ role, content: blocks });
}

function blocksOf(message: ChatMessage): AnthropicBlock[] {
  return message.role === "tool"
    ? [toResultBlock(message)]
    : [...toBlocks(message), ...(message.toolCalls ?? []).map(toCall)];
}

function toCall(call: ToolCall): AnthropicBlock {
  const input = parseInput(call.arguments);
  if (input === undefined) {
    const what = `the arguments of the call ${JSON.stringify(call.id)}, which are no JSON object`;
    throw unsupportedMessage("anthropic", what, "mend them, or leave the call and its result out");
  }
  return { ...keptFields("anthropic", call), type: "tool_use", id: call.id, name: call.name, input };
}

function parseInput(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  try {
    const input: unknown = JSON.parse(text);
    return isWireRecord(input) ? input : undefined;
  } catch {
    return undefined;
  }
}

/** Thinking can't be marked, so the mark goes to the last block that can. */
function withCache<Block extends AnthropicBlock>(blocks: Block[], cache: AnthropicCacheControl | undefined): Block[] {
  if (cache === undefined) return blocks;
  const place = blocks.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  return blocks.map((block, index) => (index === place ? { ...block, cache_control: cache } : block));
}
