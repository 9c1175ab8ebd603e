import type { ChatMessage, ModelRequest, ResponseFormat } from "@ccl/core";
import { type JsonRecord, recordAt, toBase64, withoutUndefined } from "@ccl/core/json";

import { unsupportedRequest } from "../http/unsupported-request.ts";
import type { BodyOptions } from "../http/create-wire-model.ts";
import { samplingFields } from "../http/sampling-fields.ts";
import { callRecord } from "../wire/call-input.ts";
import { Losses } from "../wire/losses.ts";
import { fieldsFor, partsOf } from "../wire/wire-fields.ts";

/** Names the provider in errors, and its fields in `providerMetadata`. */
export const ollama = "ollama";

/** The body of a call of `/api/chat`. `options` in `providerOptions` is joined with the sampling fields and wins. */
export function toOllamaBody(
  request: ModelRequest,
  model: string,
  { isStreaming, report }: BodyOptions,
): JsonRecord {
  const { options, ...others } = request.providerOptions ?? {};
  const sampling = withoutUndefined({
    ...samplingFields(request),
    num_predict: request.maxOutputTokens,
    ...recordAt({ options }, "options"),
  });
  return withoutUndefined({
    model,
    messages: toOllamaMessages(request.messages, new Losses(ollama, { report })),
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

function toOllamaMessages(messages: readonly ChatMessage[], losses: Losses): JsonRecord[] {
  const toolNames = new Map<string, string>();
  return messages.map((message, index) => {
    losses.index = index;
    const { role, toolCalls = [], toolCallId = "" } = message;
    for (const { id, name } of toolCalls) toolNames.set(id, name);
    return withoutUndefined({
      role: role === "developer" ? "system" : role,
      ...contentOf(message, losses),
      tool_calls:
        toolCalls.length > 0
          ? toolCalls.map((call) => ({
              id: call.id,
              function: { name: call.name, arguments: callRecord(call) },
            }))
          : undefined,
      // Older servers match a result to its call by the tool's name.
      tool_call_id: role === "tool" ? message.toolCallId : undefined,
      tool_name: role === "tool" ? toolNames.get(toolCallId) : undefined,
      ...fieldsFor(ollama, message),
    });
  });
}

function contentOf(message: ChatMessage, losses: Losses): JsonRecord {
  let content = "";
  let thinking = "";
  const images: string[] = [];
  for (const part of partsOf(message)) {
    const isOwnThought = message.role === "assistant" && part.type === "reasoning";
    if (part.type === "text") content += part.text;
    else if (isOwnThought && part.signature === undefined) thinking += part.text;
    else if (part.type === "image" && part.data !== undefined) images.push(toBase64(part.data));
    else content += losses.mark(part);
  }
  return {
    content,
    thinking: thinking === "" ? undefined : thinking,
    images: images.length > 0 ? images : undefined,
  };
}
