import type { ChatMessage, Part, ToolCall } from "@ccl/core";
import { fromBase64, isRecord, type JsonRecord } from "@ccl/core/json";
import { requireMessages } from "../require-messages.ts";
import { unsupportedMessage } from "../wire-error.ts";
import { unknownFields } from "../wire-fields.ts";

/**
 * Chat messages of a conversation in Anthropic's wire form. A user's turn that answers calls becomes a tool message for each
 * answer and a user message for the rest; fields without a counterpart, `cache_control` among them, travel in `providerMetadata.anthropic`.
 * @throws WireError `unsupported_message` for blocks that only the provider's own tools make, search results,
 *   files by id and documents of blocks
 */
export function fromAnthropicMessages(conversation: {
  system?: string | readonly object[] | undefined;
  messages: readonly object[];
}): ChatMessage[] {
  const { system, messages } = conversation ?? {};
  requireMessages(messages);
  const operators: readonly unknown[] =
    typeof system === "string" && system !== ""
      ? [{ type: "text", text: system }]
      : Array.isArray(system)
        ? system
        : [];
  const leading = operators.map((block): ChatMessage => ({
    role: "system",
    ...contentOf([fromBlock(block, "system")]),
  }));
  return [
    ...leading,
    ...messages.flatMap((message, index) => fromTurn(message, `message ${index}`)),
  ];
}

function fromTurn(turn: unknown, where: string): ChatMessage[] {
  const wire: JsonRecord = isRecord(turn) ? turn : {};
  const { role, content } = wire;
  const blocks: readonly unknown[] =
    typeof content === "string" ? [{ type: "text", text: content }] : listOf(content, where);
  if (role === "assistant") return [fromAssistant(blocks, where)];
  if (role !== "user") {
    throw unsupportedMessage(
      "a chat message",
      `${where}, which is neither the user's nor the assistant's`,
      "mend it",
    );
  }
  const answers = blocks.filter((block) => typeOf(block) === "tool_result");
  const said = blocks.filter((block) => typeOf(block) !== "tool_result");
  const user: ChatMessage[] =
    said.length > 0
      ? [{ role: "user", ...contentOf(said.map((block) => fromBlock(block, where))) }]
      : [];
  return [...answers.map((block) => fromResult(block, where)), ...user];
}

function fromAssistant(blocks: readonly unknown[], where: string): ChatMessage {
  const isCall = (block: unknown): boolean => typeOf(block) === "tool_use";
  const calls = blocks.filter(isCall).map((block) => fromCall(block, where));
  const parts = blocks.filter((block) => !isCall(block)).map((block) => fromBlock(block, where));
  return {
    role: "assistant",
    ...contentOf(parts),
    toolCalls: calls.length > 0 ? calls : undefined,
  };
}

function fromCall(block: unknown, where: string): ToolCall {
  const wire: JsonRecord = isRecord(block) ? block : {};
  const { id, name, input } = wire;
  if (typeof id !== "string" || typeof name !== "string") {
    throw unsupportedMessage("a chat message", `a call without id and name in ${where}`, "mend it");
  }
  const providerMetadata = unknownFields("anthropic", wire, ["type", "id", "name", "input"]);
  const call = { id, name, arguments: JSON.stringify(input ?? {}) };
  return providerMetadata === undefined ? call : { ...call, providerMetadata };
}

function fromResult(block: unknown, where: string): ChatMessage {
  const wire: JsonRecord = isRecord(block) ? block : {};
  const { tool_use_id: toolCallId, content, is_error: isError } = wire;
  if (typeof toolCallId !== "string") {
    throw unsupportedMessage(
      "a chat message",
      `a tool_result without tool_use_id in ${where}`,
      "mend it",
    );
  }
  const providerMetadata = unknownFields("anthropic", wire, [
    "type",
    "tool_use_id",
    "content",
    "is_error",
  ]);
  return {
    role: "tool",
    toolCallId,
    content: Array.isArray(content)
      ? content.map((part) => fromBlock(part, where))
      : typeof content === "string"
        ? content
        : "",
    isError: isError === true ? isError : undefined,
    providerMetadata,
  };
}

/** One plain text is a string, as most applications write it. */
function contentOf(parts: Part[]): { content: string | Part[] } {
  const [first] = parts;
  const isPlain =
    parts.length === 1 && first?.type === "text" && first.providerMetadata === undefined;
  return { content: isPlain ? first.text : parts };
}

function fromBlock(block: unknown, where: string): Part {
  const wire: JsonRecord = isRecord(block) ? block : {};
  const type = typeOf(block);
  const part = Object.hasOwn(readers, type) ? readers[type]?.(wire) : undefined;
  if (part === undefined) {
    throw unsupportedMessage(
      "a chat message",
      `a block of type ${JSON.stringify(wire["type"])} in ${where}`,
      "leave it out",
    );
  }
  const known = ["type", "text", "source", "thinking", "signature", "data"];
  const providerMetadata = part.providerMetadata ?? unknownFields("anthropic", wire, known);
  return providerMetadata === undefined ? part : { ...part, providerMetadata };
}

const readers: Record<string, ((wire: JsonRecord) => Part | undefined) | undefined> = {
  text: ({ text }) => ({ type: "text", text: String(text ?? "") }),
  thinking: ({ thinking, signature }) => ({
    type: "reasoning",
    text: String(thinking ?? ""),
    signature: typeof signature === "string" ? signature : undefined,
  }),
  redacted_thinking: ({ data }) => ({
    type: "reasoning",
    text: "",
    providerMetadata: { anthropic: { type: "redacted_thinking", data } },
  }),
  image: ({ source }) => mediaOf("image", source),
  document: ({ source }) => mediaOf("file", source),
};

function mediaOf(type: "image" | "file", source: unknown): Part | undefined {
  if (!isRecord(source)) return undefined;
  const { type: form, media_type: mediaType, data, url } = source;
  if (form === "url" && typeof url === "string") {
    return { type, mimeType: type === "image" ? "image/*" : "application/pdf", url };
  }
  if (typeof mediaType !== "string" || typeof data !== "string") return undefined;
  if (form === "text") return { type, mimeType: mediaType, data: new TextEncoder().encode(data) };
  const bytes = form === "base64" ? fromBase64(data) : undefined;
  return bytes === undefined ? undefined : { type, mimeType: mediaType, data: bytes };
}

function typeOf(block: unknown): string {
  return isRecord(block) && typeof block["type"] === "string" ? block["type"] : "";
}

function listOf(content: unknown, where: string): readonly unknown[] {
  if (Array.isArray(content)) return content;
  throw unsupportedMessage(
    "a chat message",
    `the content of ${where}`,
    "give text or a list of blocks",
  );
}
