import { LanguageModelError, type ModelRequest } from "@ccl/core";
import { type JsonRecord, recordAt, withoutUndefined } from "@ccl/core/json";

import type { BodyOptions } from "../http/create-wire-model.ts";
import { toAnthropicMessages } from "../wire/anthropic/index.ts";
import { askedTools } from "../wire/asked-tools.ts";

/** The body of a call of `/v1/messages`. */
export function toAnthropicBody(
  request: ModelRequest,
  named: { model: string; maxOutputTokens: number },
  { isStreaming, report }: BodyOptions,
): JsonRecord {
  const { system, messages } = toAnthropicMessages(request.messages, { report });
  const { output_config: given, ...options } = request.providerOptions ?? {};
  const outputConfig = { ...formatOf(request), ...recordAt({ given }, "given") };
  const { tools, toolChoice } = askedTools(request);
  return withoutUndefined({
    model: named.model,
    max_tokens: request.maxOutputTokens ?? named.maxOutputTokens,
    system,
    messages,
    tools: tools?.map(({ name, description, inputSchema: input_schema }) => ({
      name,
      description,
      input_schema,
    })),
    tool_choice:
      typeof toolChoice === "object"
        ? { type: "tool", name: toolChoice.name }
        : toolChoice && { type: toolChoice === "required" ? "any" : toolChoice },
    output_config: Object.keys(outputConfig).length > 0 ? outputConfig : undefined,
    temperature: request.temperature,
    // 1 is what the API takes by itself, and newer models refuse it beside a temperature.
    top_p: request.topP === 1 ? undefined : request.topP,
    top_k: request.topK,
    // A penalty of 0 asks for nothing.
    frequency_penalty: request.frequencyPenalty || undefined,
    presence_penalty: request.presencePenalty || undefined,
    seed: request.seed,
    stop_sequences: request.stop,
    stream: isStreaming ? true : undefined,
    ...options,
  });
}

function formatOf({ responseFormat }: ModelRequest): JsonRecord {
  if (responseFormat === undefined || responseFormat.type === "text") return {};
  if (responseFormat.type === "json_schema")
    return { format: { type: "json_schema", schema: responseFormat.schema } };
  const message = "anthropic has no response format json_object; ask for json_schema, or for text.";
  throw new LanguageModelError("unsupported_response_format", message);
}
