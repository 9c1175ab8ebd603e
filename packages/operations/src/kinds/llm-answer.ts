import type { FinishReason, Issue, LanguageModel, ModelRequest, ModelResponse } from "@ccl/core";
import {
  createFormatLadder,
  extractJson,
  generateStructured,
  type StructuredSchema,
} from "@ccl/structured-output";

import { OperationError } from "./operation-error.ts";

/** An answer and its parsed value. */
export interface LlmAnswer {
  value: unknown;
  text: string;
}

/** How to request and parse an answer. */
interface LlmQuestion {
  request: ModelRequest;
  mode: "text" | "json";
  schema: StructuredSchema<unknown> | undefined;
  /** Called with each response before it is parsed. */
  onResponse: (response: ModelResponse) => void;
}

/** Calls the model once and parses its answer. Throws the model's error, `output_parse_error` or `policy_error`. */
export type AskOnce = (model: LanguageModel, question: LlmQuestion) => Promise<LlmAnswer>;

/** Creates a function that calls models and remembers the formats that each one accepts. */
export function createAskOnce(): AskOnce {
  const ladder = createFormatLadder();
  return async (model, { request, mode, schema, onResponse }) => {
    let last: ModelResponse | undefined;
    const tapped: LanguageModel = {
      provider: model.provider,
      modelId: model.modelId,
      capabilities: model.capabilities,
      async generate(asked) {
        last = await model.generate(asked);
        onResponse(last);
        return last;
      },
    };
    if (mode === "json" && schema !== undefined) {
      const { messages, signal, ...sampling } = request;
      const result = await generateStructured(tapped, {
        schema,
        messages,
        ladder,
        maxRepairs: 0,
        request: sampling,
        signal,
      });
      refuseFiltered(last?.finishReason);
      if (!result.ok) throw parseError(result.issues);
      return { value: result.value, text: last?.text ?? "" };
    }
    const isObjectAsked =
      mode === "json" &&
      ["json_schema", "json_object"].includes(model.capabilities?.structuredOutput ?? "");
    const response = await tapped.generate({
      ...request,
      ...(isObjectAsked ? { responseFormat: { type: "json_object" } as const } : {}),
    });
    refuseFiltered(response.finishReason);
    const { text } = response;
    return { value: mode === "json" ? jsonOf(response) : text, text };
  };
}

function refuseFiltered(finishReason: FinishReason | undefined): void {
  if (finishReason !== "content_filter") return;
  throw new OperationError(
    "policy_error",
    "The provider's content filter stopped the answer; change the prompt.",
    {
      isTransient: false,
    },
  );
}

/** Returns the whole answer if it is JSON, otherwise its outermost object or list. */
function jsonOf({ text, finishReason }: ModelResponse): unknown {
  if (finishReason !== "length") {
    try {
      const value: unknown = JSON.parse(text);
      return value;
    } catch {
      // The code below handles fences, prose and small mistakes.
    }
  }
  const accept = (value: unknown): boolean => typeof value === "object" && value !== null;
  const extracted = extractJson(text, { accept, finishReason });
  if (!extracted.ok) throw parseError(extracted.issues);
  return extracted.value.value;
}

const maxIssues = 10;

function parseError(issues: readonly Issue[]): OperationError {
  const codes = [...new Set(issues.map(({ code }) => code))];
  const message = issues.slice(0, maxIssues).map((issue) => issue.message);
  return new OperationError("output_parse_error", message.join(" "), { details: { codes } });
}
