import type { ModelRequest } from "@ccl/core";
import { type JsonRecord, withoutUndefined } from "@ccl/core/json";

import { toAiSdkMessages, type WireLoss } from "../wire/ai-sdk/index.ts";
import { askedTools } from "../wire/asked-tools.ts";
import type { AiSdkCall } from "./ai-sdk-types.ts";

/** The options of `doGenerate` and `doStream`. `providerOptions` go through as they are. */
export function toAiSdkCall(
  request: ModelRequest,
  {
    abortSignal,
    ...options
  }: { abortSignal: AbortSignal; version: string; report: (loss: WireLoss) => void },
): AiSdkCall & JsonRecord {
  const { tools, toolChoice } = askedTools(request);
  const sampling = withoutUndefined({
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    stopSequences: request.stop,
    topP: request.topP,
    topK: request.topK,
    presencePenalty: request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty,
    seed: request.seed,
    responseFormat: formatOf(request),
    tools: tools?.map(({ name, description, inputSchema }) => ({
      type: "function",
      name,
      description,
      inputSchema,
    })),
    toolChoice:
      typeof toolChoice === "object"
        ? { type: "tool", toolName: toolChoice.name }
        : toolChoice && { type: toolChoice },
    providerOptions: request.providerOptions,
  });
  return { ...sampling, prompt: toAiSdkMessages(request.messages, options), abortSignal };
}

function formatOf({ responseFormat }: ModelRequest): JsonRecord | undefined {
  if (responseFormat === undefined || responseFormat.type === "text") return undefined;
  if (responseFormat.type === "json_object") return { type: "json" };
  return { type: "json", name: responseFormat.name, schema: responseFormat.schema };
}
