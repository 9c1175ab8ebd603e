import type { StreamingModel } from "@ccl/core";
import { arrayAt, isRecord, stringAt } from "@ccl/core/json";

import { namedModel, type NamedModelOptions, ollamaUrl } from "./named-model.ts";

/** A model and what led to it: the name of a variable, or the address of Ollama. */
export interface FoundModel {
  model: StreamingModel;
  source: string;
}

const ollamaTimeoutMs = 1_000;

/**
 * The model that this machine can use, for programs that take whichever there is: that of `CCL_MODEL`, one of OpenAI,
 * Anthropic or Gemini where their key is set, else the first that a local Ollama has. Asks only that Ollama, and waits a second for it.
 * Undefined where there is none.
 * @throws LanguageModelError as `namedModel` does, for `CCL_MODEL`
 */
export async function findModel(options: NamedModelOptions): Promise<FoundModel | undefined> {
  const { env } = options;
  const named = (name: string, source: string): FoundModel => ({
    model: namedModel(name, options),
    source,
  });
  if (env["CCL_MODEL"]) return named(env["CCL_MODEL"], "CCL_MODEL");
  if (env["OPENAI_API_KEY"]) return named("openai/gpt-5-mini", "OPENAI_API_KEY");
  if (env["ANTHROPIC_API_KEY"]) return named("anthropic/claude-sonnet-5-5", "ANTHROPIC_API_KEY");
  if (env["GEMINI_API_KEY"]) return named("gemini/gemini-3.8-flash", "GEMINI_API_KEY");
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
