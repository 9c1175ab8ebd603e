import type { ModelRequest, ResponseFormat } from "@ccl/core";
import { type JsonRecord, withoutUndefined } from "@ccl/core/json";

import { samplingFields } from "../http/sampling-fields.ts";
import { toOpenAiMessages, type OpenAiMessagesOptions } from "../wire/openai-chat/index.ts";

/** What differs between servers that speak OpenAI's format. */
interface OpenAiDialect extends OpenAiMessagesOptions {
  maxTokensField: "max_tokens" | "max_completion_tokens";
  includesStreamUsage: boolean;
}

interface CallForm extends OpenAiDialect {
  isStreaming: boolean;
}

/** The body of a call of `/chat/completions`. */
export function toOpenAiBody(request: ModelRequest, model: string, form: CallForm): JsonRecord {
  const hasTools = request.tools !== undefined && request.tools.length > 0;
  return withoutUndefined({
    model,
    messages: toOpenAiMessages(request.messages, form),
    tools: hasTools ? request.tools?.map(toOpenAiTool) : undefined,
    tool_choice: toolChoiceOf(request),
    response_format: responseFormatOf(request.responseFormat),
    ...samplingFields(request),
    [form.maxTokensField]: request.maxOutputTokens,
    stream: form.isStreaming ? true : undefined,
    stream_options:
      form.isStreaming && form.includesStreamUsage ? { include_usage: true } : undefined,
    ...request.providerOptions,
  });
}

function toOpenAiTool(tool: {
  name: string;
  description: string;
  inputSchema: object;
}): JsonRecord {
  const { name, description, inputSchema } = tool;
  return { type: "function", function: { name, description, parameters: inputSchema } };
}

function toolChoiceOf({ toolChoice, tools = [] }: ModelRequest): unknown {
  // Without tools these ask for nothing, and the API refuses the field.
  if (tools.length === 0 && (toolChoice === "auto" || toolChoice === "none")) return undefined;
  return typeof toolChoice === "object"
    ? { type: "function", function: { name: toolChoice.name } }
    : toolChoice;
}

function responseFormatOf(format: ResponseFormat | undefined): JsonRecord | undefined {
  // Text is what every server gives unasked, and some refuse to be asked.
  if (format === undefined || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json_object" };
  const { name, schema, strict } = format;
  return { type: "json_schema", json_schema: withoutUndefined({ name, schema, strict }) };
}
