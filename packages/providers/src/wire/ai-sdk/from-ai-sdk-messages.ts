import type { ChatMessage, MediaPart, Part, ToolCall } from "@ccl/core";
import { fromBase64, isRecord, type JsonRecord, parseDataUrl } from "@ccl/core/json";
import { requireMessages } from "../require-messages.ts";
import { unsupportedMessage } from "../wire-error.ts";
import { metadataOf } from "./provider-options.ts";

/**
 * Chat messages of the AI SDK's model messages. A tool message becomes one message for each result; `providerOptions`
 * become `providerMetadata`.
 * @throws WireError `unsupported_message` for tool approvals and parts of unknown type
 */
export function fromAiSdkMessages(messages: readonly object[]): ChatMessage[] {
  requireMessages(messages);
  return messages.flatMap((message, index) => fromMessage(message, `message ${index}`));
}

function fromMessage(message: unknown, where: string): ChatMessage[] {
  const wire: JsonRecord = isRecord(message) ? message : {};
  const { role, content, providerOptions } = wire;
  const fields = metadataOf(providerOptions);
  if (role === "tool") return partsIn(content, where).map((part) => fromResult(part, where));
  if (role === "assistant") return fromAssistant(content, { where, fields });
  if (role !== "system" && role !== "user") {
    throw unsupportedMessage(
      "a chat message",
      `${where}, which has no role of the AI SDK`,
      "mend it",
    );
  }
  if (typeof content === "string") return [{ role, content, ...fields }];
  return [
    { role, content: partsIn(content, where).map((part) => fromPart(part, where)), ...fields },
  ];
}

/** What the assistant went on with after a result of the provider's own tool is a message again, to be joined on the way back. */
function fromAssistant(
  content: unknown,
  { where, fields }: { where: string; fields: object },
): ChatMessage[] {
  if (typeof content === "string") return [{ role: "assistant", content, ...fields }];
  const steps: { said: JsonRecord[]; results: JsonRecord[] }[] = [{ said: [], results: [] }];
  for (const part of partsIn(content, where)) {
    const last = steps.at(-1);
    if (part["type"] === "tool-result") last?.results.push(part);
    else if (last?.results.length === 0) last.said.push(part);
    else steps.push({ said: [part], results: [] });
  }
  return steps.flatMap(({ said, results }, at) => {
    const calls = said
      .filter(({ type }) => type === "tool-call")
      .map((part) => fromCall(part, where));
    const parts = said
      .filter(({ type }) => type !== "tool-call")
      .map((part) => fromPart(part, where));
    const own = at === 0 ? fields : metadataOf(undefined, { isContinued: true });
    return [
      {
        role: "assistant",
        content: parts,
        ...own,
        toolCalls: calls.length > 0 ? calls : undefined,
      },
      ...results.map((part) => fromResult(part, where, { providerExecuted: true })),
    ];
  });
}

function fromCall(wire: JsonRecord, where: string): ToolCall {
  const { toolCallId: id, toolName: name, input, providerOptions, providerExecuted } = wire;
  if (typeof id !== "string" || typeof name !== "string") {
    throw unsupportedMessage(
      "a chat message",
      `a tool call without toolCallId and toolName in ${where}`,
      "mend it",
    );
  }
  return {
    id,
    name,
    arguments: JSON.stringify(input ?? {}),
    ...metadataOf(providerOptions, { providerExecuted }),
  };
}

function fromResult(
  wire: JsonRecord,
  where: string,
  own: { providerExecuted?: true } = {},
): ChatMessage {
  const { type, toolCallId, output, providerOptions } = wire;
  if (type !== "tool-result" || typeof toolCallId !== "string" || !isRecord(output)) {
    const what = `a part of type ${JSON.stringify(type)} where ${where} answers calls`;
    throw unsupportedMessage("a chat message", what, "settle approvals first, and mend results");
  }
  const { content, isError, isJson } = readOutput(output, where);
  const fields = metadataOf(providerOptions, { ...own, output: isJson ? "json" : undefined });
  return { role: "tool", toolCallId, content, isError: isError || undefined, ...fields };
}

function readOutput(
  output: JsonRecord,
  where: string,
): { content: string | Part[]; isError?: boolean; isJson?: boolean } {
  const { type, value, reason } = output;
  if (type === "text" || type === "error-text")
    return { content: String(value), isError: type === "error-text" };
  if (type === "json" || type === "error-json") {
    return { content: JSON.stringify(value ?? null), isError: type === "error-json", isJson: true };
  }
  if (type === "execution-denied") {
    return {
      content: typeof reason === "string" ? `execution denied: ${reason}` : "execution denied",
      isError: true,
    };
  }
  if (type === "content")
    return { content: partsIn(value, where).map((part) => fromOutputPart(part, where)) };
  throw unsupportedMessage(
    "a chat message",
    `a tool output of type ${JSON.stringify(type)} in ${where}`,
    "leave it out",
  );
}

/** An address has a form of its own there, which is kept. */
function fromOutputPart(wire: JsonRecord, where: string): Part {
  const part = fromPart(wire, where);
  if (!("url" in part)) return part;
  const { "ai-sdk": own, ...options } = part.providerMetadata ?? {};
  return {
    ...part,
    ...metadataOf(options, { ...(isRecord(own) ? own : {}), outputPart: wire }),
  };
}

function fromPart(wire: JsonRecord, where: string): Part {
  const { type, providerOptions, filename } = wire;
  if (type === "text" || type === "reasoning") {
    return { type, text: String(wire["text"] ?? ""), ...metadataOf(providerOptions) };
  }
  const media = mediaOf(wire);
  if (media !== undefined) return { ...media, ...metadataOf(providerOptions, { filename }) };
  throw unsupportedMessage(
    "a chat message",
    `a part of type ${JSON.stringify(type)} in ${where}`,
    "leave it out",
  );
}

const imageForms = new Set(["image", "image-data", "image-url"]);
const fileForms = new Set(["file", "media", "file-data", "file-url"]);

function mediaOf(wire: JsonRecord): MediaPart | undefined {
  const form = String(wire["type"]);
  if (!imageForms.has(form) && !fileForms.has(form)) return undefined;
  const given = typeof wire["mediaType"] === "string" ? wire["mediaType"] : undefined;
  const type = imageForms.has(form) || given?.startsWith("image/") === true ? "image" : "file";
  const mimeType = given ?? (type === "image" ? "image/*" : "application/octet-stream");
  const content = contentOf(wire["image"] ?? wire["data"] ?? wire["url"]);
  return content === undefined ? undefined : { type, mimeType, ...content };
}

/** Bytes come as bytes, base64 or a `data:` address; anything else that is a URL stays one. */
function contentOf(data: unknown): { data: Uint8Array } | { url: string } | undefined {
  if (data instanceof Uint8Array) return { data };
  if (data instanceof ArrayBuffer) return { data: new Uint8Array(data) };
  const text = data instanceof URL ? data.href : data;
  if (typeof text !== "string") return undefined;
  const inline = parseDataUrl(text)?.data ?? (URL.canParse(text) ? undefined : fromBase64(text));
  if (inline !== undefined) return { data: inline };
  return URL.canParse(text) ? { url: text } : undefined;
}

function partsIn(content: unknown, where: string): JsonRecord[] {
  if (Array.isArray(content)) return content.map((part) => (isRecord(part) ? part : {}));
  throw unsupportedMessage(
    "a chat message",
    `the content of ${where}`,
    "give text or a list of parts",
  );
}
