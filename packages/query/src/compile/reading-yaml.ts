import type { LanguageModel, ModelResponse } from "@ccl/core";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { parse } from "yaml";
import { renderLogicalPlan } from "../render/render-logical-plan.ts";

/** Lets a model answer with a plan in YAML or arrow form, fenced or bare. The caller gets it as JSON. */
export function readingYaml(model: LanguageModel): LanguageModel {
  return {
    provider: model.provider,
    modelId: model.modelId,
    capabilities: model.capabilities,
    async generate(request) {
      const response = await model.generate(request);
      return response.finishReason === "stop" ? asJson(response) : response;
    },
  };
}

const longestAnswer = 65_536;

function asJson(response: ModelResponse): ModelResponse {
  const { text } = response;
  if (text.length > longestAnswer || /^\s*\{/.test(text)) return response;
  const fenced = [...text.matchAll(/^```(?:ya?ml|text)?[ \t]*\n([\s\S]*?)^```/gim)].map(
    ([, inner = ""]) => inner,
  );
  for (const candidate of [text, ...fenced]) {
    const plan = parseLogicalPlan(candidate);
    if (plan.ok) return { ...response, text: JSON.stringify(parse(renderLogicalPlan(plan.value))) };
  }
  return response;
}
