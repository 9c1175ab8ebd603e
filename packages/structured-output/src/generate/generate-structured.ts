import {
  failure,
  type LanguageModel,
  type ModelResponse,
  type ModelUsage,
  type Result,
  success,
} from "@ccl/core";

import type { ReadAnswer } from "../schema/read-answer.ts";
import { askModel } from "./ask-model.ts";
import type { GenerateStructuredOptions } from "./generate-structured-options.ts";
import { readResponse } from "./read-response.ts";
import type { StructuredAttempt, StructuredResult } from "./structured-attempt.ts";
import { createPlan, type PendingRepair } from "./structured-plan.ts";
import { sumUsage } from "./sum-usage.ts";

/**
 * Asks a model for a value that fits a schema. If the provider refuses the format, it steps down the ladder. If the
 * answer does not fit, it asks again with the issues. A refusal by the content filter is an issue `content_filtered`
 * and is not repaired.
 * @throws LanguageModelError of the model, `aborted` included, without a retry
 * @throws StructuredOutputError if the schema cannot be used
 */
export async function generateStructured<T>(
  model: LanguageModel,
  options: GenerateStructuredOptions<T>,
): Promise<StructuredResult<T>> {
  const plan = createPlan(model, options);
  const attempts: StructuredAttempt[] = [];
  let usage: ModelUsage = { inputTokens: 0, outputTokens: 0 };
  let format = options.mode === "best-effort" ? "none" : await plan.ladder.current(model);
  let pending: PendingRepair | undefined;
  for (let repairsLeft = options.maxRepairs ?? 1; ;) {
    const response = await askModel(plan, format, pending);
    const read =
      response === undefined ? undefined : readResponse(plan, response, { format, pending });
    const how = { format, isRepair: pending !== undefined };
    const attempt = createAttempt(how, response, read?.result);
    attempts.push(attempt);
    options.onAttempt?.(attempt);
    if (response === undefined || read === undefined) {
      format = (await plan.ladder.stepDown(model, format)) ?? "none";
      continue;
    }
    usage = response.usage === undefined ? usage : sumUsage(usage, response.usage);
    const { result, answer } = read;
    if (result.ok) return { ...success(result.value.value), attempts, usage, format };
    if (repairsLeft <= 0 || response.finishReason === "content_filter") {
      return { ok: false, issues: result.issues, attempts, usage, format };
    }
    repairsLeft--;
    pending = { issues: result.issues, answer };
  }
}

function createAttempt<T>(
  how: Pick<StructuredAttempt, "format" | "isRepair">,
  response: ModelResponse | undefined,
  result: Result<ReadAnswer<T>> | undefined,
): StructuredAttempt {
  const message = `The provider refuses the response format ${how.format}.`;
  const refusal = failure({ code: "unsupported_response_format", path: [], message });
  const read = result ?? refusal;
  return {
    ...how,
    finishReason: response?.finishReason,
    issues: read.ok ? [] : read.issues,
    repairs: read.ok ? read.value.repairs : [],
    usage: response?.usage,
    requestId: response?.requestId,
  };
}
