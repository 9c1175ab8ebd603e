import {
  type ChatMessage,
  type MediaPart,
  type Part,
  type ProviderFields,
  type ToolCall,
  fileText,
} from "@ccl/core";
import { type JsonRecord, arrayAt, isRecord, toBase64, withoutUndefined } from "@ccl/core/json";
import { callRecord } from "../call-input.ts";
import { type LossOptions, Losses } from "../losses.ts";
import { formOf, inOriginalForm } from "../original-form.ts";
import { requireMessages } from "../require-messages.ts";
import {
  asWire,
  fieldsFor,
  interleaved,
  joinFields,
  partsOf,
  wholeMessage,
} from "../wire-fields.ts";
import type {
  AnthropicCacheControl,
  AnthropicConversation,
  AnthropicTextBlock,
} from "./anthropic-message.ts";
import { marked, unmarked } from "./cache-marks.ts";
import { ToolIds } from "./tool-ids.ts";

const format = "anthropic";
/** The API's limit per request. */
const maxBreakpoints = 4;

/** Cache breakpoints for a prompt, and how to report lost parts. */
export interface AnthropicMessagesOptions extends LossOptions {
  /**
   * Message indexes from `WorkingContext.breakpoints`. Only the last 4 are used, because the API allows 4 per
   * request. Pass up to 3 if you also set one on the tools. These replace any breakpoints in the messages.
   */
  breakpoints?: readonly number[] | undefined;
  /** The `cache_control` value of a breakpoint. Default: five minutes. */
  cacheControl?: AnthropicCacheControl | undefined;
}

/**
 * Converts messages to Anthropic's format. Leading system and developer messages become `system`. Later ones become
 * `system` messages in place. Tool results become blocks of the user turn. Merges consecutive messages from the same
 * role, as the API would. Leaves out messages without content.
 *
 * `cache_control` in a message's `providerMetadata.anthropic` applies to its last block. Its `reasoning` blocks are sent
 * unchanged. Replaces ids that the API rejects. Call arguments that are not a JSON object, and media that the API does
 * not support, become text that says so.
 */
export function toAnthropicMessages(
  messages: readonly ChatMessage[],
  options: AnthropicMessagesOptions = {},
): AnthropicConversation {
  requireMessages(messages);
  const { breakpoints, cacheControl = { type: "ephemeral" } } = options;
  const known = [...new Set(breakpoints)].filter((index) => Object.hasOwn(messages, index));
  const breaks = new Set(known.sort((a, b) => a - b).slice(-maxBreakpoints));
  const losses = new Losses(options);
  const ids = new ToolIds();
  const system: unknown[] = [];
  const turns: JsonRecord[] = [];
  let text: string | undefined;
  for (const [index, message] of messages.entries()) {
    losses.index = index;
    const form = formOf(format, message);
    const restored = inOriginalForm(format, message, writeTurn(message, losses));
    if (!isRecord(restored)) {
      const last = turns.at(-1);
      const blocks = listOf(last?.["content"]).filter(isRecord);
      if (last !== undefined && breaks.has(index)) last["content"] = marked(blocks, cacheControl);
      continue;
    }
    const turn = form["keepsIds"] === true ? restored : ids.replaceIn(restored);
    if (breakpoints !== undefined) {
      const bare = unmarked(listOf(turn["content"]));
      if (breaks.has(index)) turn["content"] = marked(bare, cacheControl);
      else if (Array.isArray(turn["content"])) turn["content"] = bare;
    }
    if (turn["role"] === "system" && turns.length === 0 && form["isInMessages"] !== true) {
      if (typeof turn["content"] === "string") text = turn["content"];
      system.push(...listOf(turn["content"]));
    } else addTurn(turns, turn, form["startsTurn"] === true);
  }
  const [first] = messages;
  const empty = first === undefined ? undefined : formOf(format, first)["emptySystem"];
  const isText = system.length === 1 && text !== undefined;
  const leading = isText ? text : system.length > 0 ? system : empty;
  return withoutUndefined({
    system: isSystem(leading) ? leading : undefined,
    messages: asWire(turns),
  });
}

function isSystem(system: unknown): system is string | AnthropicTextBlock[] {
  return typeof system === "string" || Array.isArray(system);
}

function addTurn(turns: JsonRecord[], turn: JsonRecord, starts: boolean): void {
  const last = turns.at(-1);
  if (last === undefined || starts || last["role"] !== turn["role"] || turn["role"] === "system") {
    turns.push(turn);
  } else last["content"] = [...listOf(last["content"]), ...listOf(turn["content"])];
}

function listOf(content: unknown): unknown[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

/** Converts a message to its own turn, ignoring its original form. Returns undefined if it has no content. */
export function writeTurn(
  message: ChatMessage,
  losses: Losses = new Losses(),
): JsonRecord | undefined {
  const whole = wholeMessage(format, message);
  if (whole !== undefined) return { ...whole };
  const isSystemRole = message.role === "system" || message.role === "developer";
  const role = isSystemRole ? "system" : message.role === "assistant" ? "assistant" : "user";
  // The block of a tool result has its own `cache_control`.
  const cacheControl = message.role === "tool" ? undefined : ownFields(message)["cache_control"];
  const content = marked(blocksOf(message, losses), cacheControl);
  const [block] = content;
  if (block === undefined) return undefined;
  // A string can carry neither a breakpoint nor other blocks.
  const isText =
    formOf(format, message)["isText"] === true &&
    content.length === 1 &&
    block["text"] === message.content &&
    block["cache_control"] === undefined;
  return { role, content: isText ? block["text"] : content };
}

function blocksOf(message: ChatMessage, losses: Losses): JsonRecord[] {
  if (message.role === "tool" && message.toolCallId !== undefined)
    return [toResultBlock(message, message.toolCallId, losses)];
  if (message.role === "tool") losses.drop("tool", "the call that a tool message answers");
  const parts = partsOf(message).map((part) => toBlock(part, message.role, losses));
  const blocks = interleaved(format, parts, message.toolCalls, (call) => [toCall(call)]);
  // `createAnthropicModel` stores the blocks here, and they are sent back unchanged.
  const thinking =
    message.role === "assistant" ? arrayAt(fieldsFor(format, message), "reasoning") : [];
  return [...thinking.filter(isRecord), ...blocks.flat()];
}

function toCall(call: ToolCall): JsonRecord {
  const { id, name } = call;
  return joinFields({ type: "tool_use", id, name, input: callRecord(call) }, ownFields(call));
}

/** Returns the block for a tool result. */
function toResultBlock(message: ChatMessage, id: string, losses: Losses): JsonRecord {
  const { content, isError } = message;
  const parts = partsOf(message).flatMap((part) => toBlock(part, "tool", losses));
  const resultContent = typeof content === "string" ? content : parts;
  const block = withoutUndefined({
    type: "tool_result",
    tool_use_id: id,
    // The API rejects empty content, but a result without content is still a result.
    content: parts.length > 0 ? resultContent : undefined,
    is_error: isError === true || undefined,
  });
  return joinFields(block, ownFields(message));
}

/** Converts a part to a block. Returns an empty list for blank text, which the API rejects. */
function toBlock(part: Part, role: ChatMessage["role"], losses: Losses): JsonRecord[] {
  if (part.type === "provider" && part.provider === format && isRecord(part.raw))
    return [{ ...part.raw }];
  const block = part.type === "provider" ? undefined : writtenBlock(part, role);
  if (block !== undefined) return [block];
  const text = part.type === "text" ? "" : losses.mark(part);
  return text === "" ? [] : [{ type: "text", text }];
}

function writtenBlock(
  part: Exclude<Part, { type: "provider" }>,
  role: ChatMessage["role"],
): JsonRecord | undefined {
  const own = ownFields(part);
  if (part.type === "text") {
    return part.text.trim() === "" ? undefined : joinFields({ type: "text", text: part.text }, own);
  }
  if (part.type !== "reasoning") {
    const source = role === "user" || role === "tool" ? sourceOf(part) : undefined;
    if (source === undefined) return undefined;
    const type = part.type === "image" ? "image" : "document";
    const title = type === "image" ? undefined : part.filename;
    return joinFields(withoutUndefined({ type, source, title }), own);
  }
  if (role !== "assistant") return undefined;
  if (own["type"] === "redacted_thinking") return { ...own };
  if (part.signature === undefined) return undefined;
  return joinFields({ type: "thinking", thinking: part.text, signature: part.signature }, own);
}

const imageTypes = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** Returns the source for an image, a PDF or a text file. Returns undefined if the API does not support the media. */
function sourceOf(part: MediaPart): JsonRecord | undefined {
  const { type, data, url, mimeType } = part;
  const text = type === "file" ? fileText(part) : undefined;
  if (text !== undefined) return { type: "text", media_type: "text/plain", data: text };
  const isSupported = type === "image" ? imageTypes.has(mimeType) : mimeType === "application/pdf";
  if (data !== undefined) {
    return isSupported ? { type: "base64", media_type: mimeType, data: toBase64(data) } : undefined;
  }
  return url !== undefined && (type === "image" || isSupported) ? { type: "url", url } : undefined;
}

/** Returns the fields for the API itself, without the AI SDK's name for a cache breakpoint. */
function ownFields(owner: ProviderFields): JsonRecord {
  const { cacheControl, ...fields } = fieldsFor(format, owner);
  return cacheControl === undefined ? fields : { cache_control: cacheControl, ...fields };
}
