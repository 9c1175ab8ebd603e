import { LanguageModelError, type StreamingModel } from "@ccl/core";

import { createAnthropicModel } from "../anthropic/create-anthropic-model.ts";
import type { EndpointOptions } from "../http/endpoint.ts";
import { createGeminiModel } from "../gemini/create-gemini-model.ts";
import { createOpenAiCompatibleModel } from "../openai-compatible/create-open-ai-compatible-model.ts";
import { type OpenAiPresetName, presets } from "../openai-compatible/presets.ts";

/** Environment variables, or a subset of them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where `namedModel` looks for keys and addresses. */
export interface NamedModelOptions extends Pick<
  EndpointOptions,
  "timeoutMs" | "retries" | "fetch"
> {
  /** In Node, pass `process.env`. */
  env: Environment;
  /** Address of a server that uses OpenAI's format. It receives the model name unchanged. */
  baseUrl?: string | undefined;
  /** The key for that server. Default: `OPENAI_API_KEY`. */
  apiKey?: string | undefined;
}

/**
 * Creates a model by name: `anthropic/claude-sonnet-5-5`, `gemini/gemini-3.8-flash`, `openai/gpt-5-mini`,
 * `ollama/qwen3:8b`, or another preset of `createOpenAiCompatibleModel` before the slash. `claude...`, `gemini...`,
 * `gpt...` and `o3` need no prefix. Sends other names to the server in `OPENAI_BASE_URL` or `OLLAMA_HOST`. Reads keys
 * and addresses from the same variables as the official clients.
 * @throws LanguageModelError `authentication` if the key is missing, `invalid_request` if no server matches the name
 */
export function namedModel(name: string, options: NamedModelOptions): StreamingModel {
  const { env, baseUrl, timeoutMs, retries, fetch } = options;
  if (baseUrl !== undefined) {
    const apiKey = options.apiKey ?? env["OPENAI_API_KEY"];
    return createOpenAiCompatibleModel({ model: name, baseUrl, apiKey, timeoutMs, retries, fetch });
  }
  const [, server = "", model = name] = /^([\w.-]+)\/(.+)$/.exec(name) ?? [];
  const place = (keys: string[], address = ""): Place => placeOf(model, options, keys, address);
  const family = server === "" ? familyOf(name, env) : server;
  if (family === "anthropic")
    return createAnthropicModel(place(["ANTHROPIC_API_KEY"], "ANTHROPIC_BASE_URL"));
  if (family === "gemini")
    return createGeminiModel(place(["GEMINI_API_KEY", "GOOGLE_API_KEY"], "GOOGLE_GEMINI_BASE_URL"));
  if (family === "ollama") {
    const url = `${ollamaUrl(env)}/v1`;
    return createOpenAiCompatibleModel({ ...place([]), preset: family, baseUrl: url });
  }
  if (isPreset(family)) {
    const { keyVariable } = presets[family];
    const own = place([keyVariable ?? []].flat(), family === "openai" ? "OPENAI_BASE_URL" : "");
    const preset = own.baseUrl === undefined ? family : undefined;
    return createOpenAiCompatibleModel({ ...own, preset });
  }
  const known = ["anthropic", "gemini", ...Object.keys(presets)].join(", ");
  const message = `No server is known for ${JSON.stringify(name)}. Put its name first, as in ollama/${name}, or set OPENAI_BASE_URL. Known servers: ${known}.`;
  throw new LanguageModelError("invalid_request", message);
}

function familyOf(name: string, env: Environment): string {
  if (name.startsWith("claude")) return "anthropic";
  if (name.startsWith("gemini")) return "gemini";
  if (/^(?:gpt|chatgpt|codex|o\d)/.test(name) || env["OPENAI_BASE_URL"]) return "openai";
  return env["OLLAMA_HOST"] ? "ollama" : "";
}

function isPreset(name: string): name is OpenAiPresetName {
  return Object.hasOwn(presets, name);
}

type Place = EndpointOptions & { model: string; baseUrl: string | undefined };

/** Returns the server that the variables name. A local or private server may need no key. */
function placeOf(
  model: string,
  { env, timeoutMs, retries, fetch }: NamedModelOptions,
  keyVariables: readonly string[],
  urlVariable: string,
): Place {
  const baseUrl = env[urlVariable] || undefined;
  const apiKey = keyVariables.map((variable) => env[variable]).find(Boolean);
  const [variable] = keyVariables;
  if (variable !== undefined && apiKey === undefined && baseUrl === undefined) {
    const message = `${model} needs a key: set ${variable} in the environment.`;
    throw new LanguageModelError("authentication", message);
  }
  return { model, baseUrl, apiKey, timeoutMs, retries, fetch };
}

/**
 * Converts `OLLAMA_HOST`, the server's listen address, to a URL. It often lacks a scheme or port, or means all
 * interfaces.
 */
export function ollamaUrl(env: Environment): string {
  const host = env["OLLAMA_HOST"] || "127.0.0.1:11434";
  const url = new URL(host.includes("://") ? host : `http://${host}`);
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  if (url.port === "" && !host.includes("://")) url.port = "11434";
  return url.href.replace(/\/$/, "");
}
