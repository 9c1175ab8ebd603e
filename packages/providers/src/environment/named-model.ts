import { LanguageModelError, type StreamingModel } from "@ccl/core";

import { createAnthropicModel } from "../anthropic/create-anthropic-model.ts";
import type { EndpointOptions } from "../http/endpoint.ts";
import { createOllamaModel } from "../ollama/create-ollama-model.ts";
import { createOpenAiCompatibleModel } from "../openai-compatible/create-open-ai-compatible-model.ts";
import { type OpenAiPresetName, presets } from "../openai-compatible/presets.ts";

/** The variables of a process, or a part of them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a named model is looked for. */
export interface NamedModelOptions extends Pick<
  EndpointOptions,
  "timeoutMs" | "retries" | "fetch"
> {
  /** `process.env` in Node. */
  env: Environment;
  /** Of a server that speaks OpenAI's format; the name is sent to it as it is. */
  baseUrl?: string | undefined;
  /** The key of that server. Default: `OPENAI_API_KEY`. */
  apiKey?: string | undefined;
}

/**
 * The model that a name means: `anthropic/claude-sonnet-5-5`, `openai/gpt-5-mini`, `ollama/qwen3:8b`, or a preset of
 * `createOpenAiCompatibleModel` before the slash. `claude...`, `gpt...` and `o3` need none; other names go to the server of
 * `OPENAI_BASE_URL` or `OLLAMA_HOST`. Keys and addresses come from the variables that the official clients read.
 * @throws LanguageModelError `authentication` where the key is missing, `invalid_request` for a name that no server has
 */
export function namedModel(name: string, options: NamedModelOptions): StreamingModel {
  const { env, baseUrl } = options;
  if (baseUrl !== undefined)
    return compatible(name, options, { baseUrl, apiKey: options.apiKey ?? env["OPENAI_API_KEY"] });
  const [, server = "", rest = name] = /^([\w.-]+)\/(.+)$/.exec(name) ?? [];
  const family = server === "" ? familyOf(name) : server;
  if (family === "anthropic") return anthropic(rest, options);
  if (family === "ollama") return ollama(rest, options);
  if (family === "openai") return openAi(rest, options);
  if (isPreset(family)) {
    const { keyVariable } = presets[family];
    const apiKey = keyVariable === undefined ? undefined : keyOf(env, keyVariable, name);
    return compatible(rest, options, { preset: family, apiKey });
  }
  if (env["OPENAI_BASE_URL"]) return openAi(name, options);
  if (env["OLLAMA_HOST"]) return ollama(name, options);
  const known = ["anthropic", ...Object.keys(presets)].join(", ");
  const message = `Which server has ${JSON.stringify(name)}? Put it in front, such as ollama/${name}, or set OPENAI_BASE_URL; known are ${known}.`;
  throw new LanguageModelError("invalid_request", message);
}

function familyOf(name: string): string {
  if (name.startsWith("claude")) return "anthropic";
  return /^(?:gpt|chatgpt|codex|o\d)/.test(name) ? "openai" : "";
}

function isPreset(name: string): name is OpenAiPresetName {
  return Object.hasOwn(presets, name);
}

function compatible(
  model: string,
  { timeoutMs, retries, fetch }: NamedModelOptions,
  place: { baseUrl?: string | undefined; preset?: OpenAiPresetName; apiKey: string | undefined },
): StreamingModel {
  return createOpenAiCompatibleModel({ model, timeoutMs, retries, fetch, ...place });
}

function openAi(model: string, options: NamedModelOptions): StreamingModel {
  const { env } = options;
  const baseUrl = env["OPENAI_BASE_URL"] || undefined;
  // A server of one's own may need no key.
  const apiKey =
    baseUrl === undefined ? keyOf(env, "OPENAI_API_KEY", model) : env["OPENAI_API_KEY"];
  const place = baseUrl === undefined ? ({ preset: "openai" } as const) : { baseUrl };
  return compatible(model, options, { ...place, apiKey });
}

function anthropic(model: string, options: NamedModelOptions): StreamingModel {
  const { env, timeoutMs, retries, fetch } = options;
  const baseUrl = env["ANTHROPIC_BASE_URL"] || undefined;
  const apiKey =
    baseUrl === undefined ? keyOf(env, "ANTHROPIC_API_KEY", model) : env["ANTHROPIC_API_KEY"];
  return createAnthropicModel({ model, baseUrl, apiKey, timeoutMs, retries, fetch });
}

function ollama(model: string, options: NamedModelOptions): StreamingModel {
  const { env, timeoutMs, retries, fetch } = options;
  return createOllamaModel({ model, baseUrl: ollamaUrl(env), timeoutMs, retries, fetch });
}

/** `OLLAMA_HOST` is what the server listens on: often without a scheme or port, or an address that means all. */
export function ollamaUrl(env: Environment): string {
  const host = env["OLLAMA_HOST"] || "127.0.0.1:11434";
  const url = new URL(host.includes("://") ? host : `http://${host}`);
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  if (url.port === "" && !host.includes("://")) url.port = "11434";
  return url.href.replace(/\/$/, "");
}

function keyOf(env: Environment, variable: string, model: string): string {
  const key = env[variable];
  if (key) return key;
  const message = `${model} needs a key: set ${variable} in the environment.`;
  throw new LanguageModelError("authentication", message);
}
