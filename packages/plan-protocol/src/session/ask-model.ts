import { assertNotAborted } from "../plan-protocol-error.ts";

import {
  type ChatMessage,
  LanguageModelError,
  type ModelRequest,
  type ModelResponse,
  type ResponseFormat,
} from "@ccl/core";
import { withoutUndefined } from "@ccl/core/json";
import type { StructuredFormat } from "@ccl/structured-output";

import type { PlanVersion } from "../plan/plan.ts";
import { planWireSchema, schemaHash } from "../schema/plan-schema.ts";
import type { PlanModelRequest } from "./plan-session.ts";
import type { ProposalRun } from "./proposal-run.ts";

/** Default call options. `maxOutputTokens` depends on the input. */
export const defaultModelRequest: Readonly<PlanModelRequest> = {
  temperature: 0,
  topP: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
  timeoutMs: 90_000,
};

const LONG_INPUT_CHARS = 80_000;
const MAX_OUTPUT_TOKENS = 16_384;
const MAX_OUTPUT_TOKENS_AFTER_LONG_INPUT = 4_096;

/**
 * Requests one answer from the model, in the best format its provider supports.
 * @throws LanguageModelError, including when a content filter stopped the answer
 */
export async function askModel(
  run: ProposalRun,
  messages: ChatMessage[],
  version: PlanVersion,
): Promise<ModelResponse> {
  const { model, ladder, recorder, signal } = run;
  let format: StructuredFormat =
    run.responseFormat === "strict" && asksForJson(run) ? ladder.current(model) : "none";
  for (;;) {
    assertNotAborted(signal);
    const request = createRequest(run, messages, { format, version });
    recorder.emit({
      type: "LLM_REQUEST_SENT",
      provider: model.provider,
      model: model.modelId,
      schema_version: version,
      schema_hash: schemaHash(planWireSchema(version)),
      token_budget: request.maxOutputTokens ?? 0,
      input_chars: countChars(messages),
    });
    let answer: ModelResponse;
    try {
      answer = await model.generate(request);
    } catch (error) {
      if (!LanguageModelError.isInstance(error)) throw error;
      const timeout_ms = request.timeoutMs ?? 0;
      if (error.code === "timeout")
        recorder.emit({ type: "LLM_REQUEST_TIMEOUT", model: model.modelId, timeout_ms });
      if (error.code !== "unsupported_response_format" || format === "none") throw error;
      const lower = ladder.stepDown(model, format) ?? "none";
      recorder.emit({ type: "LLM_RESPONSE_FORMAT_FALLBACK", from: format, to: lower });
      format = lower;
      continue;
    }
    const { text, finishReason } = answer;
    if (finishReason === "content_filter")
      throw new LanguageModelError(
        "content_filtered",
        "The provider's content filter stopped the answer.",
      );
    recorder.emit({
      type: "LLM_RESPONSE_OK",
      model: model.modelId,
      output_chars: text.length,
      finish_reason: finishReason,
    });
    return answer;
  }
}

/** True if the answer must be JSON, as in plan mode. Other formats are not. */
export function asksForJson({ editFormat, mode }: ProposalRun): boolean {
  return editFormat === "json" || mode === "plan";
}

function createRequest(
  run: ProposalRun,
  messages: ChatMessage[],
  { format, version }: { format: StructuredFormat; version: PlanVersion },
): ModelRequest {
  const maxOutputTokens =
    countChars(messages) > LONG_INPUT_CHARS
      ? MAX_OUTPUT_TOKENS_AFTER_LONG_INPUT
      : MAX_OUTPUT_TOKENS;
  const responseFormat: ResponseFormat | undefined =
    format === "json_schema"
      ? { type: format, name: "plan", schema: planWireSchema(version), strict: true }
      : format === "none"
        ? undefined
        : { type: format };
  return withoutUndefined({
    ...defaultModelRequest,
    maxOutputTokens,
    ...run.request,
    messages,
    responseFormat,
    signal: run.signal,
  });
}

function countChars(messages: readonly ChatMessage[]): number {
  return messages.reduce(
    (sum, { content }) => sum + (typeof content === "string" ? content.length : 0),
    0,
  );
}
