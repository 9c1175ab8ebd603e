import type { ChatMessage, ModelRequest, ResponseFormat } from "@ccl/core";
import { type JsonRecord, recordAt, toBase64, withoutUndefined } from "@ccl/core/json";

import { unsupportedRequest } from "../http/unsupported-request.ts";
import { samplingFields } from "../http/sampling-fields.ts";
import { callRecord } from "../wire/call-input.ts";
import { placeholder } from "../wire/losses.ts";

/** Names the provider in errors, and its fields in `providerMetadata`. */
export const ollama = "ollama";

/** The body of a call of `/api/chat`. `options` in `providerOptions` is joined with the sampling fields and wins. */
export function toOllamaBody(
  request: ModelRequest,
  model: string,
  isStreaming: boolean,
): JsonRecord {
  const { options, ...others } = request.providerOptions ?? {};
  const sampling = withoutUndefined({
    ...samplingFields(request),
    num_predict: request.maxOutputTokens,
    ...recordAt({ options }, "options"),
  });
  return withoutUndefined({
    model,
    messages: toOllamaMessages(request.messages),
    tools: toolsOf(request),
    format: formatOf(request.responseFormat),
    options: Object.keys(sampling).length > 0 ? sampling : undefined,
    stream: isStreaming,
    ...others,
  });
}

function toolsOf({ tools = [], toolChoice = "auto" }: ModelRequest): JsonRecord[] | undefined {
  if (toolChoice !== "auto" && toolChoice !== "none") {
    throw unsupportedRequest(
      ollama,
      "a demand for a tool call (`toolChoice`)",
      'use "auto" or "none"',
    );
  }
  if (tools.length === 0 || toolChoice === "none") return undefined;
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
}

function formatOf(format: ResponseFormat | undefined): object | "json" | undefined {
  if (format === undefined || format.type === "text") return undefined;
  return format.type === "json_object" ? "json" : format.schema;
}

function toOllamaMessages(messages: readonly ChatMessage[]): JsonRecord[] {
  const toolNames = new Map<string, string>();
  return messages.map((message) => {
    for (const call of message.toolCalls ?? []) toolNames.set(call.id, call.name);
    return toOllamaMessage(message, toolNames);
  });
}

function toOllamaMessage(message: ChatMessage, toolNames: ReadonlyMap<string, string>): JsonRecord {
  const { text, thinking, images } = contentOf(message);
  const toolCalls = message.toolCalls?.map((call) => ({
    id: call.id,
    function: { name: call.name, arguments: callRecord(call) },
  }));
  return withoutUndefined({
    role: message.role === "developer" ? "system" : message.role,
    content: text,
    thinking,
    images: images.length > 0 ? images : undefined,
    tool_calls: toolCalls !== undefined && toolCalls.length > 0 ? toolCalls : undefined,
    ...(message.role === "tool" ? resultFields(message, toolNames) : {}),
    ...recordAt(message.providerMetadata, ollama),
  });
}

// Older servers match a result to its call by the tool's name.
function resultFields(
  { toolCallId }: ChatMessage,
  toolNames: ReadonlyMap<string, string>,
): JsonRecord {
  return { tool_call_id: toolCallId, tool_name: toolNames.get(toolCallId ?? "") };
}

function contentOf(message: ChatMessage): {
  text: string;
  thinking: string | undefined;
  images: string[];
} {
  if (typeof message.content === "string")
    return { text: message.content, thinking: undefined, images: [] };
  const texts: string[] = [];
  const thoughts: string[] = [];
  const images: string[] = [];
  for (const part of message.content) {
    if (part.type === "text") texts.push(part.text);
    else if (part.type === "reasoning") thoughts.push(part.text);
    else if (part.type === "image" && part.data !== undefined) images.push(toBase64(part.data));
    else if (message.role === "tool" || part.type === "provider") texts.push(placeholder(part));
    else
      throw unsupportedRequest(
        ollama,
        "a file, or an image by its address",
        "pass an image's bytes",
      );
    if (
      part.type === "reasoning" &&
      (message.role !== "assistant" || part.signature !== undefined)
    ) {
      throw unsupportedRequest(
        ollama,
        "signed reasoning, or reasoning of anyone but the assistant",
        "leave it out",
      );
    }
  }
  return {
    text: texts.join(""),
    thinking: thoughts.length > 0 ? thoughts.join("") : undefined,
    images,
  };
}
