import type { ModelRequest, ResponseFormat } from "@ccl/core";
import { type JsonRecord, withoutUndefined } from "@ccl/core/json";

import { samplingFields } from "../http/sampling-fields.ts";
import {
  type OpenAiMessagesOptions,
  toOpenAiMessages,
  toOpenAiToolChoice,
  toOpenAiTools,
} from "../wire/openai-chat/index.ts";
import { askedTools } from "../wire/tool-description.ts";

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
  const { tools, toolChoice } = askedTools(request);
  return withoutUndefined({
    model,
    messages: toOpenAiMessages(request.messages, form),
    tools: tools && toOpenAiTools(tools),
    tool_choice: toolChoice && toOpenAiToolChoice(toolChoice),
    response_format: responseFormatOf(request.responseFormat),
    ...samplingFields(request),
    [form.maxTokensField]: request.maxOutputTokens,
    stream: form.isStreaming ? true : undefined,
    stream_options:
      form.isStreaming && form.includesStreamUsage ? { include_usage: true } : undefined,
    ...request.providerOptions,
  });
}

function responseFormatOf(format: ResponseFormat | undefined): JsonRecord | undefined {
  // Text is what every server gives unasked, and some refuse to be asked.
  if (format === undefined || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json_object" };
  const { name, schema, strict } = format;
  return { type: "json_schema", json_schema: withoutUndefined({ name, schema, strict }) };
}
