import type { ModelRequest, ResponseFormat } from "@ccl/core";
import { type JsonRecord, withoutUndefined } from "@ccl/core/json";

import { samplingFields } from "../http/sampling-fields.ts";
import { type OpenAiMessagesOptions, toOpenAiMessages } from "../wire/openai-chat/index.ts";
import { askedTools } from "../wire/asked-tools.ts";

/** What differs between servers that speak OpenAI's format, and between calls. */
interface CallForm extends OpenAiMessagesOptions {
  maxTokensField: string;
  isStreaming: boolean;
}

/** The body of a call of `/chat/completions`. */
export function toOpenAiBody(request: ModelRequest, model: string, form: CallForm): JsonRecord {
  const { tools, toolChoice } = askedTools(request);
  return withoutUndefined({
    model,
    messages: toOpenAiMessages(request.messages, form),
    tools: tools?.map(({ name, description, inputSchema: parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
    tool_choice:
      typeof toolChoice === "object"
        ? { type: "function", function: { name: toolChoice.name } }
        : toolChoice,
    response_format: responseFormatOf(request.responseFormat),
    ...samplingFields(request),
    [form.maxTokensField]: request.maxOutputTokens,
    stream: form.isStreaming ? true : undefined,
    stream_options: form.isStreaming ? { include_usage: true } : undefined,
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
