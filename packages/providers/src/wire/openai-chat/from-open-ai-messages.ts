import type { ChatMessage, Part, ReasoningPart, ToolCall } from "@ccl/core";
import {
  arrayAt,
  fromBase64,
  isRecord,
  type JsonRecord,
  parseDataUrl,
  recordAt,
  stringAt,
  withoutUndefined,
} from "@ccl/core/json";

import { withForm, withOriginal } from "../original-form.ts";
import { requireMessages } from "../require-messages.ts";
import {
  opaqueMessage,
  type PartReaders,
  partsOf,
  readPart,
  textReader,
  unknownFields,
  unlessEmpty,
  withMetadata,
} from "../wire-fields.ts";
import { wordsOf, writeMessage } from "./to-open-ai-messages.ts";

const format = "openai";
const roles = ["system", "developer", "user", "assistant", "tool"] as const;
const reasoningFields = ["reasoning_content", "reasoning"] as const;

/**
 * Converts messages in OpenAI's format, for example an application's transcript. Keeps fields without a counterpart in
 * `providerMetadata.openai`, and parts without one as opaque parts, so that `toOpenAiMessages` can restore the
 * original.
 * @throws WireError `invalid_messages` if `messages` is not a list of objects
 */
export function fromOpenAiMessages(messages: readonly object[]): ChatMessage[] {
  requireMessages(messages);
  return messages.map((wire) => {
    const message = fromMessage(isRecord(wire) ? wire : {});
    return withOriginal(format, message, { written: writeMessage(message), original: wire });
  });
}

function fromMessage(wire: JsonRecord): ChatMessage {
  const role = roles.find((role) => role === wire["role"]);
  if (role === undefined) return opaqueMessage(format, wire);
  const field =
    role === "assistant" ? reasoningFields.find((name) => !!stringAt(wire, name)) : undefined;
  const reasoning: ReasoningPart[] = [];
  if (field !== undefined)
    reasoning.push(withForm(format, { type: "reasoning", text: String(wire[field]) }, { field }));
  const said = contentOf(wire, role);
  const calls = role === "assistant" ? arrayAt(wire, "tool_calls").flatMap(fromCall) : [];
  const known = ["role", "content", ...(field === undefined ? [] : [field])];
  if (calls.length > 0) known.push("tool_calls");
  const toolCallId = role === "tool" ? stringAt(wire, "tool_call_id") : undefined;
  if (toolCallId !== undefined) known.push("tool_call_id");
  return {
    role,
    content: reasoning.length === 0 ? said : [...reasoning, ...partsOf({ role, content: said })],
    toolCalls: unlessEmpty(calls),
    toolCallId,
    providerMetadata: unknownFields(format, wire, known),
  };
}

function contentOf(wire: JsonRecord, role: string): string | Part[] {
  const { content } = wire;
  if (Array.isArray(content)) return content.map((part) => fromPart(part, role));
  return typeof content === "string" ? content : wordsOf(wire);
}

function fromCall(call: unknown): ToolCall[] {
  const id = stringAt(call, "id");
  const custom = recordAt(call, "custom");
  const named = custom["name"] === undefined ? recordAt(call, "function") : custom;
  const name = stringAt(named, "name");
  if (!isRecord(call) || id === undefined || name === undefined) return [];
  const isCustom = named === custom;
  const text = isCustom ? named["input"] : named["arguments"];
  const known = ["id", "type", isCustom ? "custom" : "function"];
  const read: ToolCall = withMetadata(
    { id, name, arguments: typeof text === "string" ? text : JSON.stringify(text ?? {}) },
    unknownFields(format, call, known),
  );
  return [withForm(format, read, { isCustom })];
}

function fromPart(wire: unknown, role: string): Part {
  const part = readPart(format, wire, readers);
  if (part.type === "provider") return part;
  return withForm(format, part, {
    isTaken: part.type !== "text" && role !== "user",
    isRefusal: stringAt(wire, "type") === "refusal",
  });
}

const readers: PartReaders = {
  text: textReader("text"),
  refusal: textReader("refusal"),
  image_url: (wire) => {
    const { url, detail } = recordAt(wire, "image_url");
    if (typeof url !== "string") return undefined;
    const content = parseDataUrl(url) ?? { mimeType: "image/*", url };
    return {
      part: { type: "image", ...content },
      known: ["type", "image_url"],
      others: { detail },
    };
  },
  input_audio: (wire) => {
    const audio = recordAt(wire, "input_audio");
    const data = fromBase64(stringAt(audio, "data") ?? "");
    const type = stringAt(audio, "format");
    if (data === undefined || type === undefined) return undefined;
    const mimeType = type === "mp3" ? "audio/mpeg" : `audio/${type}`;
    return { part: { type: "file", mimeType, data }, known: ["type", "input_audio"] };
  },
  file: (wire) => {
    const file = recordAt(wire, "file");
    const content = parseDataUrl(stringAt(file, "file_data") ?? "");
    const filename = stringAt(file, "filename");
    if (content === undefined || file["file_id"] !== undefined) return undefined;
    const part = withoutUndefined({ type: "file" as const, ...content, filename });
    return { part, known: ["type", "file"] };
  },
};
