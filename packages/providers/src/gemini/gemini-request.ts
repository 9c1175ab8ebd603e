import type { ModelRequest, ResponseFormat } from "@ccl/core";
import { type JsonRecord, recordAt, withoutUndefined } from "@ccl/core/json";

import type { BodyOptions } from "../http/create-wire-model.ts";
import { askedTools } from "../wire/asked-tools.ts";
import { toGeminiContents } from "../wire/gemini/to-gemini-contents.ts";

const modes: Record<string, string> = { auto: "AUTO", none: "NONE", required: "ANY" };

/** The body of a call of `generateContent`. `generationConfig` in `providerOptions` is joined with the request's and wins. */
export function toGeminiBody(
  request: ModelRequest,
  model: string,
  report: BodyOptions["report"],
): JsonRecord {
  const { generationConfig: given, ...options } = request.providerOptions ?? {};
  const { tools, toolChoice } = askedTools(request);
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = request;
  const generationConfig = withoutUndefined({
    temperature,
    topP,
    topK,
    frequencyPenalty,
    presencePenalty,
    seed,
    stopSequences: request.stop,
    maxOutputTokens: request.maxOutputTokens,
    ...formatOf(request.responseFormat),
    ...recordAt({ given }, "given"),
  });
  const functionDeclarations = tools?.map(({ name, description, inputSchema }) => ({
    name,
    description,
    parametersJsonSchema: inputSchema,
  }));
  return withoutUndefined({
    ...toGeminiContents(request.messages, {
      report,
      needsSignatures: !/(?:^|\/)gemini-[12]\b/.test(model),
    }),
    tools: functionDeclarations && [{ functionDeclarations }],
    toolConfig: toolChoice && { functionCallingConfig: callingOf(toolChoice) },
    generationConfig: Object.keys(generationConfig).length > 0 ? generationConfig : undefined,
    ...options,
  });
}

function callingOf(choice: NonNullable<ModelRequest["toolChoice"]>): JsonRecord {
  return typeof choice === "object"
    ? { mode: "ANY", allowedFunctionNames: [choice.name] }
    : { mode: modes[choice] };
}

function formatOf(format: ResponseFormat | undefined): JsonRecord {
  if (format === undefined || format.type === "text") return {};
  const responseJsonSchema = format.type === "json_schema" ? format.schema : undefined;
  return { responseMimeType: "application/json", responseJsonSchema };
}
