import type { ChatMessage, ToolCall } from "@ccl/core";

import { lastBreakpoints } from "../cache-breakpoints.ts";
import { callRecord } from "../call-input.ts";
import { requireMessages } from "../require-messages.ts";
import { unsupportedMessage } from "../wire-error.ts";
import { fieldsFor } from "../wire-fields.ts";
import type {
  AnthropicBlock,
  AnthropicCacheControl,
  AnthropicConversation,
  AnthropicMessage,
  AnthropicTextBlock,
} from "./anthropic-message.ts";
import { isCacheControl, isThinking, textBlocks, toBlocks, toResultBlock } from "./to-blocks.ts";
import { ToolIds } from "./tool-ids.ts";

/** Where a prompt's cached prefixes end. */
export interface AnthropicMessagesOptions {
  /**
   * Indexes of messages, as `WorkingContext.breakpoints` has them. The last 4 are marked, since the API refuses more
   * in all: pass 3 where you mark the tools. They replace the marks that messages brought along.
   */
  breakpoints?: readonly number[] | undefined;
  /** The mark of a breakpoint; five minutes by default. */
  cacheControl?: AnthropicCacheControl | undefined;
}

/**
 * Leading system and developer messages become `system`, tool results blocks of the user's turn; messages of one speaker
 * in a row become one turn, as the API would join them, and a message without content none. `cache_control` in
 * `providerMetadata.anthropic` of a message marks its last block, and `reasoning` there is sent as the blocks that it is.
 * Ids that the API refuses are replaced; call arguments that are no JSON object, and media that a tool returned and the
 * API does not take, go as a text that says so.
 * @throws WireError `unsupported_message` for a later system message, unsigned reasoning, media of other types, and
 *   other fields in a message's `providerMetadata.anthropic`
 */
export function toAnthropicMessages(
  messages: readonly ChatMessage[],
  { breakpoints, cacheControl = { type: "ephemeral" } }: AnthropicMessagesOptions = {},
): AnthropicConversation {
  requireMessages(messages);
  const system: AnthropicTextBlock[] = [];
  const turns: AnthropicMessage[] = [];
  const ids = new ToolIds();
  const marked = breakpoints === undefined ? undefined : lastBreakpoints(breakpoints, messages);
  for (const [index, message] of messages.entries()) {
    const isOperator = message.role === "system" || message.role === "developer";
    if (isOperator && turns.length > 0) {
      const what = `a ${message.role} message after the first turn`;
      throw unsupportedMessage("anthropic", what, "move it to the front");
    }
    const texts = isOperator ? textBlocks(message) : [];
    const blocks = isOperator ? texts : blocksOf(message, ids);
    markLast(blocks, ownCacheControl(message));
    if (marked !== undefined) {
      unmark(blocks);
      markLast(blocks, marked.has(index) ? cacheControl : undefined);
    }
    if (isOperator) system.push(...texts);
    else addToTurns(turns, message.role === "assistant" ? "assistant" : "user", blocks);
  }
  return { system, messages: turns };
}

function addToTurns(
  turns: AnthropicMessage[],
  role: AnthropicMessage["role"],
  blocks: AnthropicBlock[],
): void {
  const last = turns.at(-1);
  if (last?.role === role) last.content.push(...blocks);
  else if (blocks.length > 0) turns.push({ role, content: blocks });
}

function blocksOf(message: ChatMessage, ids: ToolIds): AnthropicBlock[] {
  if (message.role === "tool") return [toResultBlock(message, ids)];
  return [...toBlocks(message), ...(message.toolCalls ?? []).map((call) => toCall(call, ids))];
}

function toCall(call: ToolCall, ids: ToolIds): AnthropicBlock {
  return {
    ...fieldsFor("anthropic", call),
    type: "tool_use",
    id: ids.forCall(call.id),
    name: call.name,
    input: callRecord(call),
  };
}

/** A tool's answer is one block, which takes all fields of its message. */
function ownCacheControl(message: ChatMessage): AnthropicCacheControl | undefined {
  if (message.role === "tool") return undefined;
  const { cache_control: mark, reasoning: _, ...rest } = fieldsFor("anthropic", message);
  const [unknown] = Object.keys(rest);
  if (unknown === undefined && (mark === undefined || isCacheControl(mark))) return mark;
  const what = `providerMetadata.anthropic.${unknown ?? "cache_control"} of a message`;
  throw unsupportedMessage("anthropic", what, "it takes cache_control and reasoning there");
}

function unmark(blocks: readonly AnthropicBlock[]): void {
  for (const block of blocks.filter(isMarkable)) {
    delete block.cache_control;
    const inner =
      block.type === "tool_result" && typeof block.content === "object" ? block.content : [];
    for (const part of inner) delete part.cache_control;
  }
}

/** Marks the last block that the API lets carry a mark. */
function markLast(
  blocks: readonly AnthropicBlock[],
  mark: AnthropicCacheControl | undefined,
): void {
  const last = blocks.findLast(isMarkable);
  if (last !== undefined && mark !== undefined) last.cache_control = mark;
}

function isMarkable(
  block: AnthropicBlock,
): block is Exclude<AnthropicBlock, { type: "thinking" | "redacted_thinking" }> {
  return !isThinking(block);
}
