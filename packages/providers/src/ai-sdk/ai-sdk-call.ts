import type { ChatMessage, ModelRequest, Part, ToolCall } from "@ccl/core";

import { mediaNote } from "../http/media-note.ts";
import { parseArguments } from "../http/parse-arguments.ts";
import { unsupportedRequest } from "../http/unsupported-request.ts";
import { defined, type JsonRecord, parseJson } from "../json/json-record.ts";
import { toBase64 } from "../json/to-base64.ts";
import type { AiSdkCall } from "./ai-sdk-types.ts";

const name = "the AI SDK";

/** The options of `doGenerate` and `doStream`. `providerOptions` and `providerMetadata` of messages go through as they are. */
export function toAiSdkCall(
  request: ModelRequest,
  abortSignal: AbortSignal,
): AiSdkCall & JsonRecord {
  const hasTools = request.tools !== undefined && request.tools.length > 0;
  const sampling = defined({
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    stopSequences: request.stop,
    topP: request.topP,
    topK: request.topK,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    seed: request.seed,
    responseFormat: formatOf(request),
    tools: hasTools ? request.tools?.map(toTool) : undefined,
    toolChoice: toolChoiceOf(request),
    providerOptions: request.providerOptions,
  });
  return { ...sampling, prompt: toPrompt(request.messages), abortSignal };
}

function formatOf({ responseFormat }: ModelRequest): JsonRecord | undefined {
  if (responseFormat === undefined || responseFormat.type === "text") return undefined;
  if (responseFormat.type === "json_object") return { type: "json" };
  return { type: "json", name: responseFormat.name, schema: responseFormat.schema };
}

function toTool(tool: { name: string; description: string; inputSchema: object }): JsonRecord {
  const { name, description, inputSchema } = tool;
  return { type: "function", name, description, inputSchema };
}

function toolChoiceOf({ toolChoice, tools = [] }: ModelRequest): JsonRecord | undefined {
  if (toolChoice === undefined) return undefined;
  if (tools.length === 0 && (toolChoice === "auto" || toolChoice === "none")) return undefined;
  return typeof toolChoice === "object"
    ? { type: "tool", toolName: toolChoice.name }
    : { type: toolChoice };
}

function toPrompt(messages: readonly ChatMessage[]): object[] {
  const toolNames = new Map<string, string>();
  return messages.map((message) => {
    for (const call of message.toolCalls ?? []) toolNames.set(call.id, call.name);
    const role = message.role === "developer" ? "system" : message.role;
    const content = contentOf(message, toolNames);
    return defined({ role, content, providerOptions: message.providerMetadata });
  });
}

function contentOf(
  message: ChatMessage,
  toolNames: ReadonlyMap<string, string>,
): string | object[] {
  const parts: Part[] =
    typeof message.content === "string"
      ? [{ type: "text", text: message.content }]
      : message.content;
  if (message.role === "system" || message.role === "developer") return textOf(parts, message.role);
  if (message.role === "tool") return [toolResult(message, parts, toolNames)];
  const said = parts.filter((part) => part.type !== "text" || part.text !== "");
  return [
    ...said.map((part) => toPart(part, message.role)),
    ...(message.toolCalls ?? []).map(toCallPart),
  ];
}

function textOf(parts: readonly Part[], role: string): string {
  return parts
    .map((part) => {
      if (part.type === "text") return part.text;
      throw unsupportedRequest(
        name,
        `anything but text in a message of role ${role}`,
        "put it into a user message",
      );
    })
    .join("");
}

function toPart(part: Part, role: string): object {
  const own = defined({ providerOptions: part.providerMetadata });
  if (part.type === "text") return { type: "text", text: part.text, ...own };
  if (part.type === "reasoning") {
    if (role === "assistant" && part.signature === undefined)
      return { type: "reasoning", text: part.text, ...own };
    const remedy = "pass the provider's own fields in `providerMetadata` of the message";
    throw unsupportedRequest(
      name,
      "signed reasoning, or reasoning of anyone but the assistant",
      remedy,
    );
  }
  const data =
    part.data ?? (part.url !== undefined && URL.canParse(part.url) ? new URL(part.url) : undefined);
  if (data === undefined)
    throw unsupportedRequest(name, "a media part without data and url", "give one of them");
  return { type: "file", mediaType: part.mimeType, data, ...own };
}

function toCallPart(call: ToolCall): object {
  const input = parseJson(call.arguments) ?? parseArguments(call);
  const own = defined({ providerOptions: call.providerMetadata });
  return { type: "tool-call", toolCallId: call.id, toolName: call.name, input, ...own };
}

function toolResult(
  message: ChatMessage,
  parts: readonly Part[],
  toolNames: ReadonlyMap<string, string>,
): object {
  const { toolCallId } = message;
  const toolName = toolCallId === undefined ? undefined : toolNames.get(toolCallId);
  if (toolName === undefined) {
    const what = "a tool message whose call is not among the messages before it";
    throw unsupportedRequest(name, what, "keep the call in the conversation");
  }
  return {
    type: "tool-result",
    toolCallId,
    toolName,
    output: outputOf(parts, message.isError === true),
  };
}

function outputOf(parts: readonly Part[], isError: boolean): object {
  if (parts.every((part) => part.type === "text")) {
    return {
      type: isError ? "error-text" : "text",
      value: parts.map((part) => part.text).join(""),
    };
  }
  const value = parts.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type === "reasoning")
      throw unsupportedRequest(name, "reasoning in a tool's result", "leave it out");
    if (part.type === "image" && part.data !== undefined && !isError) {
      return { type: "media", mediaType: part.mimeType, data: toBase64(part.data) };
    }
    return { type: "text", text: mediaNote(part) };
  });
  if (isError) return { type: "error-text", value: value.map(({ text }) => text).join("") };
  return { type: "content", value };
}
