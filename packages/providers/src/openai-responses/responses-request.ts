import type { ModelRequest, ResponseFormat } from "@ccl/core";
import { type JsonRecord, withoutUndefined } from "@ccl/core/json";

import type { BodyOptions } from "../http/create-wire-model.ts";
import { samplingFields } from "../http/sampling-fields.ts";
import { toResponsesInput } from "../wire/openai-responses/index.ts";
import { askedTools } from "../wire/asked-tools.ts";

// Other models refuse to be asked for encrypted reasoning.
const reasoningModels = /(?:^|\/)(?:o[134](?:-|$)|gpt-5(?!-chat)|codex)/;

/** The body of a call of `/v1/responses`. */
export function toResponsesBody(
  request: ModelRequest,
  model: string,
  { isStreaming, report }: BodyOptions,
): JsonRecord {
  const { tools, toolChoice } = askedTools(request);
  return withoutUndefined({
    model,
    ...toResponsesInput(request.messages, { report }),
    tools: tools?.map(({ name, description, inputSchema: parameters }) => ({
      type: "function",
      name,
      description,
      parameters,
      strict: false,
    })),
    tool_choice:
      typeof toolChoice === "object" ? { type: "function", name: toolChoice.name } : toolChoice,
    text: textOf(request.responseFormat),
    ...samplingFields(request),
    max_output_tokens: request.maxOutputTokens,
    store: false,
    include: reasoningModels.test(model) ? ["reasoning.encrypted_content"] : undefined,
    stream: isStreaming ? true : undefined,
    ...request.providerOptions,
  });
}

function textOf(format: ResponseFormat | undefined): JsonRecord | undefined {
  if (format === undefined || format.type === "text") return undefined;
  return { format: withoutUndefined({ ...format }) };
}
