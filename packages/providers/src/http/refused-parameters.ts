import type { Issue, LanguageModelError } from "@ccl/core";
import { type JsonRecord, stringAt } from "@ccl/core/json";

import { isRefusal } from "./reported-error.ts";

/** The fields that a model is known to reject, and their replacements. */
export interface RefusedParameters {
  /** Removes these fields from the body, with a warning for each. */
  applyTo(body: JsonRecord): { body: JsonRecord; warnings: Issue[] };
  /**
   * Remembers the field that an error names. Returns true if the body has the field and is valid without it, so that a
   * retry may succeed.
   */
  learnFrom(error: LanguageModelError, body: JsonRecord): boolean;
}

const optional = [
  "top_p",
  "temperature",
  "top_k",
  "frequency_penalty",
  "presence_penalty",
  "seed",
  "stop",
  "stop_sequences",
  "stream_options",
];
const otherName: Record<string, string> = {
  max_tokens: "max_completion_tokens",
  max_completion_tokens: "max_tokens",
};
// OpenAI's reasoning models. Starting with gpt-5.1, they accept these fields under some settings.
const reasoningModels = /(?:^|\/)(?:o[134](?:-|$)|gpt-5(?:-(?!chat)|$))/;
const unusedByReasoning = ["temperature", "top_p", "frequency_penalty", "presence_penalty"];

/** Starts with the fields implied by the model's name and format. Rejected fields are added. */
export function createRefusedParameters(
  modelId: string,
  absent: readonly string[] = [],
): RefusedParameters {
  const known = reasoningModels.test(modelId) ? [...unusedByReasoning, "max_tokens"] : [];
  const refused = new Set([...known, ...absent]);
  return {
    applyTo(body) {
      const sent = { ...body };
      const warnings: Issue[] = [];
      for (const name of Object.keys(body).filter((key) => refused.has(key))) {
        const value = sent[name];
        delete sent[name];
        const instead = otherName[name];
        if (instead !== undefined && !refused.has(instead)) sent[instead] = value;
        // Renaming the limit changes nothing for the caller, so no warning is needed.
        else warnings.push(warningOf(name, modelId));
      }
      return { body: sent, warnings };
    },
    learnFrom(error, body) {
      if (error.status !== 400 && error.status !== 422) return false;
      const named = namedIn(error, body);
      const isPair = /\bboth\b/i.test(error.message);
      for (const name of isPair ? named.slice(0, 1) : named) refused.add(name);
      return named.length > 0;
    },
  };
}

function namedIn({ message, details }: LanguageModelError, body: JsonRecord): string[] {
  const code = stringAt(details, "code");
  const isNamed = code === "unsupported_parameter" || code === "unsupported_value";
  if (!isNamed && !isRefusal(message)) return [];
  const candidates = [...optional, ...Object.keys(otherName)].filter((name) => name in body);
  const parameter = stringAt(details, "parameter");
  const exact = candidates.filter((name) => name === parameter);
  // xAI uses the name presencePenalty.
  const words = new Set(
    message
      .toLowerCase()
      .replaceAll("_", "")
      .split(/[^a-z]+/),
  );
  return exact.length > 0
    ? exact
    : candidates.filter((name) => words.has(name.replaceAll("_", "")));
}

function warningOf(name: string, modelId: string): Issue {
  return {
    code: "parameter_dropped",
    path: [name],
    message: `${modelId} does not accept ${name}; it was left out.`,
    severity: "warning",
  };
}
