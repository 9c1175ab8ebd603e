import type { ChatMessage, ToolCall } from "@ccl/core";
import { callInput, invalidInput } from "../wire/call-input.ts";
import { lastBreakpoints } from "../wire/last-breakpoints.ts";
import { requireMessages } from "../wire/require-messages.ts";
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
import { ToolIds } from "./tool-ids.ts";

/** Where a prompt's cached prefixes end. */
export interface AnthropicMessagesOptions {
  /**
   * Indexes of messages, as `WorkingContext.breakpoints` has them. The last 4 are marked, since the API refuses more
   * in all: pass 3 where you mark the tools. They replace the marks that messages brought along.
   */
  breakpoints?: readonly number[];
  /** What a breakpoint says; five minutes by default. */
  cacheControl?: AnthropicCacheControl;
}

/**
 * Leading system and developer messages become `system`, tool results blocks of the user's turn; messages of one speaker
 * in a row become one turn, as the API would make of them. Ids that it refuses are replaced; call arguments that are no
 * JSON object, and media that a tool gave and the API does not take, go as a text that says so.
 * @throws ContextCompilerError `unsupported_message` for a later system message, unsigned reasoning, media of other types
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
      throw unsupportedMessage(
        "anthropic",
        `a ${message.role} message after the first turn`,
        "move it to the front",
      );
    }
    const blocks = isOperator ? [] : blocksOf(message, ids);
    const texts = isOperator ? textBlocks(message) : [];
    if (marked !== undefined)
      mark([...blocks, ...texts], marked.has(index) ? cacheControl : undefined);
    system.push(...texts);
    addToTurns(turns, message.role === "assistant" ? "assistant" : "user", blocks);
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
  const given = callInput(call);
  const input = isWireRecord(given) ? given : invalidInput(call);
  return {
    ...keptFields("anthropic", call),
    type: "tool_use",
    id: ids.forCall(call.id),
    name: call.name,
    input,
  };
}

/** Takes the marks away, and puts one on the last block that can carry it. */
function mark(blocks: readonly AnthropicBlock[], cache: AnthropicCacheControl | undefined): void {
  const markable = blocks.filter(isMarkable);
  for (const block of markable) {
    delete block.cache_control;
    const inner =
      block.type === "tool_result" && typeof block.content === "object" ? block.content : [];
    for (const part of inner) delete part.cache_control;
  }
  const last = markable.at(-1);
  if (last !== undefined && cache !== undefined) last.cache_control = cache;
}

type Thinking = { type: "thinking" } | { type: "redacted_thinking" };

function isMarkable(block: AnthropicBlock): block is Exclude<AnthropicBlock, Thinking> {
  return block.type !== "thinking" && block.type !== "redacted_thinking";
}
