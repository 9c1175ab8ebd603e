import type { ChatMessage, Part, ToolCall } from "@ccl/core";
import {
  arrayAt,
  fromBase64,
  isRecord,
  type JsonRecord,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";

import { withForm, withOriginal } from "../original-form.ts";
import { requireMessages } from "../require-messages.ts";
import {
  contentOf,
  opaqueMessage,
  type PartReaders,
  partsAndCalls,
  readPart,
  textReader,
  unknownFields,
  withMetadata,
} from "../wire-fields.ts";
import { writeTurn } from "./to-anthropic-messages.ts";
import { isPlainId } from "./tool-ids.ts";

const format = "anthropic";

/**
 * Converts a conversation in Anthropic's format. A user turn with tool results becomes one tool message per result,
 * plus user messages for everything else. Blocks without a counterpart become opaque parts. Fields without one, for
 * example `cache_control`, are kept in `providerMetadata.anthropic`.
 * @throws WireError `invalid_messages` if `messages` is not a list of messages with roles
 */
export function fromAnthropicMessages(conversation: {
  system?: string | readonly object[] | undefined;
  messages: readonly object[];
}): ChatMessage[] {
  const { system, messages } = conversation ?? {};
  requireMessages(messages);
  const turns: readonly unknown[] = messages;
  const leading = fromSystem(system);
  const seen = new Set<string>();
  const rest = turns.flatMap((turn, index) => {
    const isFirst = index === 0;
    return fromTurn(turn, { before: turns[index - 1], isFirst, keepsIds: keepsIds(turn, seen) });
  });
  const [first, ...others] = rest;
  return leading.length > 0 || system === undefined || first === undefined
    ? [...leading, ...rest]
    : [withForm(format, first, { emptySystem: system }), ...others];
}

function fromSystem(system: unknown): ChatMessage[] {
  if (typeof system === "string" && system !== "") {
    return [withForm(format, { role: "system", content: system }, { isText: true })];
  }
  const blocks: unknown[] = Array.isArray(system) ? system : [];
  return blocks.map((block) =>
    recorded({ role: "system", content: contentOf([fromBlock(block)]) }, [block]),
  );
}

function recorded(message: ChatMessage, content: unknown, turn?: JsonRecord): ChatMessage {
  const written = writeTurn(message);
  const role = written?.["role"] ?? (message.role === "tool" ? "user" : message.role);
  const original = turn === undefined ? { role, content } : { ...turn, content };
  return withOriginal(format, message, { written, original });
}

interface Place {
  /** The previous turn. */
  before: unknown;
  isFirst: boolean;
  keepsIds: boolean;
}

function fromTurn(turn: unknown, { before, isFirst, keepsIds }: Place): ChatMessage[] {
  const wire: JsonRecord = isRecord(turn) ? turn : {};
  const { role, content } = wire;
  const isText = typeof content === "string";
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  const form = {
    isText,
    startsTurn: role !== "system" && isRecord(before) && before["role"] === role,
    isInMessages: role === "system" && isFirst,
    keepsIds,
  };
  const make = (message: ChatMessage, own: unknown, frame?: JsonRecord): ChatMessage =>
    recorded(withForm(format, message, frame === undefined ? { keepsIds } : form), own, frame);
  if (role !== "user" && role !== "assistant" && role !== "system") {
    const opaque = withForm(format, opaqueMessage(format, turn), form);
    return [withOriginal(format, opaque, { written: writeTurn(opaque), original: turn })];
  }
  if (isText || role === "system" || blocks.length === 0) {
    return [
      make({ role, content: isText ? content : contentOf(blocks.map(fromBlock)) }, content, wire),
    ];
  }
  if (role === "assistant") return [make(fromAssistant(blocks), blocks, wire)];
  return segments(blocks).map((own, index) =>
    make(fromSegment(own), own, index === 0 ? wire : undefined),
  );
}

/**
 * Returns true if converting back would replace ids of the turn: the API rejects them, or an earlier call has the same
 * id.
 */
function keepsIds(turn: unknown, seen: Set<string>): boolean {
  let isKept = false;
  for (const block of arrayAt(turn, "content")) {
    const id = stringAt(block, "tool_use_id") ?? stringAt(block, "id") ?? "_";
    const isCall = stringAt(block, "type") === "tool_use";
    isKept ||= !isPlainId(id) || (isCall && seen.has(id));
    if (isCall) seen.add(id);
  }
  return isKept;
}

/** Splits a user turn into single results and the blocks between them. */
function segments(blocks: readonly unknown[]): unknown[][] {
  const found: unknown[][] = [];
  for (const [index, block] of blocks.entries()) {
    const last = found.at(-1);
    if (last === undefined || isAnswer(block) || isAnswer(blocks[index - 1])) found.push([block]);
    else last.push(block);
  }
  return found;
}

function isAnswer(block: unknown): boolean {
  return stringAt(block, "type") === "tool_result" && stringAt(block, "tool_use_id") !== undefined;
}

function fromSegment(blocks: unknown[]): ChatMessage {
  const [block] = blocks;
  if (!isAnswer(block) || !isRecord(block))
    return { role: "user", content: contentOf(blocks.map(fromBlock)) };
  const { content, is_error: isError } = block;
  const message: ChatMessage = {
    role: "tool",
    toolCallId: String(block["tool_use_id"]),
    content: Array.isArray(content)
      ? content.map(fromBlock)
      : typeof content === "string"
        ? content
        : "",
    isError: isError === true || undefined,
  };
  const known = ["type", "tool_use_id", "content", "is_error"];
  return withMetadata(message, unknownFields(format, block, known));
}

function fromAssistant(blocks: readonly unknown[]): ChatMessage {
  const steps = blocks.map((block) => fromCall(block) ?? [fromBlock(block)]);
  const { parts, toolCalls } = partsAndCalls(format, steps);
  return { role: "assistant", content: contentOf(parts), toolCalls };
}

function fromCall(block: unknown): ToolCall | undefined {
  const id = stringAt(block, "id");
  const name = stringAt(block, "name");
  if (!isRecord(block) || block["type"] !== "tool_use" || id === undefined || name === undefined)
    return undefined;
  const call = { id, name, arguments: JSON.stringify(block["input"] ?? {}) };
  return withMetadata(call, unknownFields(format, block, ["type", "id", "name", "input"]));
}

function fromBlock(block: unknown): Part {
  return readPart(format, block, readers);
}

const readers: PartReaders = {
  text: textReader("text"),
  thinking: ({ thinking, signature }) =>
    typeof thinking === "string" && typeof signature === "string"
      ? {
          part: { type: "reasoning", text: thinking, signature },
          known: ["type", "thinking", "signature"],
        }
      : undefined,
  redacted_thinking: () => ({ part: { type: "reasoning", text: "" }, known: [] }),
  image: mediaReader("image"),
  document: mediaReader("file"),
};

function mediaReader(type: "image" | "file"): PartReaders[string] {
  return ({ source, title }) => {
    const content = isRecord(source) ? contentOfSource(type, source) : undefined;
    if (content === undefined) return undefined;
    const filename = typeof title === "string" ? title : undefined;
    const known = ["type", "source", ...(filename === undefined ? [] : ["title"])];
    return { part: withoutUndefined({ type, ...content, filename }), known };
  };
}

function contentOfSource(
  type: "image" | "file",
  { type: form, media_type: mimeType, data, url }: JsonRecord,
): { mimeType: string; data?: Uint8Array; url?: string } | undefined {
  if (form === "url" && typeof url === "string") {
    return { mimeType: type === "image" ? "image/*" : "application/pdf", url };
  }
  if (typeof mimeType !== "string" || typeof data !== "string") return undefined;
  if (form === "text") return { mimeType, data: new TextEncoder().encode(data) };
  const bytes = form === "base64" ? fromBase64(data) : undefined;
  return bytes === undefined ? undefined : { mimeType, data: bytes };
}
