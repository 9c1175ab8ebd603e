import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import type { LanguageModel } from "@ccl/core";

import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";

/** Which model is asked. */
export interface ModelFlags {
  model?: string | undefined;
  baseUrl?: string | undefined;
  /** A recording: answers come from it; what it does not know is asked of the model, where one is named, and recorded. */
  replay?: string | undefined;
}

/** The model that flags or the environment name, a recording of one, or both. */
export async function openLanguageModel(
  session: Session,
  flags: ModelFlags,
): Promise<LanguageModel> {
  const { env, cwd } = session.terminal;
  const baseUrl = flags.baseUrl ?? env["CCL_MODEL_BASE_URL"];
  const name = flags.model ?? env["CCL_MODEL"];
  if (name === undefined && baseUrl !== undefined)
    throw new CliError("usage", "Name the model: --model, or CCL_MODEL in the environment.");
  // A recording alone must not call anyone because of the environment.
  const isAsked =
    flags.replay === undefined || flags.model !== undefined || flags.baseUrl !== undefined;
  const model = name !== undefined && isAsked ? await openNamed(name, baseUrl, env) : undefined;
  if (flags.replay === undefined) {
    if (model !== undefined) return model;
    throw new CliError(
      "usage",
      "Name a model: --model anthropic/NAME, openai/NAME or ollama/NAME, or --model and --base-url for another server; CCL_MODEL does for all runs.",
    );
  }
  const { createReplayModel } = await import("@ccl/providers/replay");
  const path = resolve(cwd(), flags.replay);
  const store = {
    read: () => readRecording(path, model !== undefined),
    write: (text: string) => write(path, text),
  };
  return createReplayModel({ store, model });
}

const PRESETS = [
  "vllm",
  "lm-studio",
  "llama.cpp",
  "openrouter",
  "groq",
  "mistral",
  "deepseek",
] as const;

/** The server that a name means: one that an address is given for, the one before its first slash, or that of its family. */
async function openNamed(
  name: string,
  baseUrl: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<LanguageModel> {
  if (baseUrl !== undefined)
    return await openCompatible(name, {
      baseUrl,
      apiKey: env["CCL_MODEL_API_KEY"] ?? env["OPENAI_API_KEY"],
    });
  const [, server = "", rest = name] = /^([\w.-]+)\/(.+)$/.exec(name) ?? [];
  if (server === "anthropic" || (server === "" && name.startsWith("claude")))
    return await openAnthropic(rest, env);
  if (server === "ollama") return await openOllama(rest, env);
  if (server === "openai" || (server === "" && /^(?:gpt|chatgpt|codex|o\d)/.test(name)))
    return await openCompatible(rest, openAiPlace(name, env));
  const preset = PRESETS.find((known) => known === server);
  if (preset !== undefined) {
    const { createOpenAiCompatibleModel } = await import("@ccl/providers/openai-compatible");
    return createOpenAiCompatibleModel({ model: rest, preset });
  }
  if (env["OPENAI_BASE_URL"]) return await openCompatible(name, openAiPlace(name, env));
  if (env["OLLAMA_HOST"]) return await openOllama(name, env);
  throw new CliError(
    "usage",
    `Nothing says which server has ${name}. Put it in front, such as ollama/${name}, or give --base-url; known are anthropic, openai, ollama, ${PRESETS.join(", ")}.`,
  );
}

function openAiPlace(
  name: string,
  env: NodeJS.ProcessEnv,
): { baseUrl: string | undefined; apiKey: string | undefined } {
  const baseUrl = env["OPENAI_BASE_URL"] || undefined;
  // A server of one's own may need none.
  const apiKey = baseUrl === undefined ? keyOf(env, "OPENAI_API_KEY", name) : env["OPENAI_API_KEY"];
  return { baseUrl, apiKey };
}

function keyOf(env: NodeJS.ProcessEnv, variable: string, name: string): string {
  const key = env[variable];
  if (key) return key;
  throw new CliError("usage", `${name} needs a key: set ${variable} in the environment.`);
}

async function openCompatible(
  model: string,
  place: { baseUrl: string | undefined; apiKey: string | undefined },
): Promise<LanguageModel> {
  const { createOpenAiCompatibleModel } = await import("@ccl/providers/openai-compatible");
  return createOpenAiCompatibleModel({ model, ...place });
}

async function openAnthropic(model: string, env: NodeJS.ProcessEnv): Promise<LanguageModel> {
  const { createAnthropicModel } = await import("@ccl/providers/anthropic");
  const baseUrl = env["ANTHROPIC_BASE_URL"] || undefined;
  const apiKey =
    baseUrl === undefined ? keyOf(env, "ANTHROPIC_API_KEY", model) : env["ANTHROPIC_API_KEY"];
  // Each call repeats the rules and, after a failed check, the files.
  return createAnthropicModel({ model, baseUrl, apiKey, marksPromptCache: true });
}

async function openOllama(model: string, env: NodeJS.ProcessEnv): Promise<LanguageModel> {
  const { createOllamaModel } = await import("@ccl/providers/ollama");
  const host = env["OLLAMA_HOST"] || undefined;
  return createOllamaModel({ model, baseUrl: host === undefined ? undefined : ollamaUrl(host) });
}

/** `OLLAMA_HOST` is what the server listens on: often without a scheme or a port, or with an address that means all. */
function ollamaUrl(host: string): string {
  const url = new URL(host.includes("://") ? host : `http://${host}`);
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  if (url.port === "" && !host.includes("://")) url.port = "11434";
  return url.href.replace(/\/$/, "");
}

async function readRecording(path: string, mayBeNew: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    if (mayBeNew && code === "ENOENT") return undefined;
    throw new CliError("usage", `--replay ${path} cannot be read (${code}).`, { cause: error });
  }
}

async function write(path: string, text: string): Promise<void> {
  const { writeFileDurable } = await import("@ccl/core/node");
  await writeFileDurable(path, text);
}
