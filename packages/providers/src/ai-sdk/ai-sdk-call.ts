import type { ModelRequest } from "@ccl/core";
import { type JsonRecord, withoutUndefined } from "@ccl/core/json";

import { toAiSdkMessages, type WireLoss } from "../wire/ai-sdk/index.ts";
import type { AiSdkCall } from "./ai-sdk-types.ts";

/** The options of `doGenerate` and `doStream`. `providerOptions` go through as they are. */
export function toAiSdkCall(
  request: ModelRequest,
  {
    abortSignal,
    ...options
  }: { abortSignal: AbortSignal; version: string; report: (loss: WireLoss) => void },
): AiSdkCall & JsonRecord {
  const hasTools = request.tools !== undefined && request.tools.length > 0;
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
    tools: hasTools ? request.tools?.map(toTool) : undefined,
    toolChoice: toolChoiceOf(request),
    providerOptions: request.providerOptions,
  });
  return { ...sampling, prompt: toAiSdkMessages(request.messages, options), abortSignal };
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
