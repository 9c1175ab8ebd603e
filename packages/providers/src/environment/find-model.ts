import type { StreamingModel } from "@ccl/core";
import { arrayAt, isRecord, stringAt } from "@ccl/core/json";

import { namedModel, type NamedModelOptions, ollamaUrl } from "./named-model.ts";

/** A model and where it was found: the name of a variable, or Ollama's address. */
export interface FoundModel {
  model: StreamingModel;
  source: string;
}

/** The model for each key, in order of preference. */
const modelsByKey = {
  OPENAI_API_KEY: "openai/gpt-5-mini",
  ANTHROPIC_API_KEY: "anthropic/claude-sonnet-5-5",
  GEMINI_API_KEY: "gemini/gemini-3.8-flash",
};
const ollamaTimeoutMs = 1_000;

/**
 * Finds a model on this machine, for programs that accept any model. Uses the model that `CCL_MODEL` names, else
 * OpenAI, Anthropic or Gemini if its key is set, else the first model of a local Ollama. Only calls Ollama, and waits
 * up to a second. Returns undefined if it finds none.
 * @throws LanguageModelError for `CCL_MODEL`, as `namedModel` does
 */
export async function findModel(options: NamedModelOptions): Promise<FoundModel | undefined> {
  const { env } = options;
  const named = (name: string, source: string): FoundModel => ({
    model: namedModel(name, options),
    source,
  });
  const names = { CCL_MODEL: env["CCL_MODEL"] ?? "", ...modelsByKey };
  for (const [variable, name] of Object.entries(names))
    if (env[variable]) return named(name, variable);
  const url = ollamaUrl(env);
  const name = await firstModelAt(url, options.fetch ?? fetch);
  return name === undefined ? undefined : named(`ollama/${name}`, url);
}

async function firstModelAt(
  url: string,
  ask: typeof globalThis.fetch,
): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(ollamaTimeoutMs);
    const response = await ask(`${url}/api/tags`, { signal, redirect: "manual" });
    const body: unknown = await response.json();
    const [first] = isRecord(body) ? arrayAt(body, "models") : [];
    return stringAt(first, "name");
  } catch {
    return undefined;
  }
}
