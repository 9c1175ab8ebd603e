import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";

import { parseJson, recordAt, stringAt } from "@ccl/core/json";

import { GatewayError } from "../gateway-error.ts";

/** A program that calls a model API, and how to point it at a proxy. */
interface ProxiedClient {
  /** The environment variable that sets the API's address. */
  variable: string;
  /** The API that the program calls without a proxy. */
  upstream: string;
  /** Other environment variables that it needs. */
  extra?: Record<string, string> | undefined;
  /** Returns arguments that set the API's address, for a program that reads no such variable. */
  args?: ((url: string) => string[]) | undefined;
  /** The variable or setting that makes the program bypass the proxy. */
  detour?: string | undefined;
}

const anthropic = "https://api.anthropic.com";
const openai = "https://api.openai.com/v1";

/**
 * Finds the API that a client uses, from its name, variables, settings and login. Defaults to OpenAI's.
 * @throws GatewayError `invalid_options` for Codex without a login
 */
export async function findUpstream(
  program: string,
  env: NodeJS.ProcessEnv,
  upstream?: string,
): Promise<ProxiedClient> {
  const name = basename(program);
  const isOfAnthropic = /opencode/.test(name) && (env["ANTHROPIC_API_KEY"] ?? "") !== "";
  const isClaude = /claude/.test(name);
  const variable = isClaude || isOfAnthropic ? "ANTHROPIC_BASE_URL" : "OPENAI_BASE_URL";
  const address = upstream ?? env[variable];
  if (isClaude)
    return {
      variable,
      upstream: address ?? anthropic,
      // Claude Code disables tool search for unknown addresses.
      extra: { ENABLE_TOOL_SEARCH: "true" },
      detour: await claudeDetour(env),
    };
  if (/codex/.test(name))
    return {
      variable,
      upstream: upstream ?? (await codexUpstream(env)),
      args: (url) => ["-c", `openai_base_url="${url}"`],
    };
  return { variable, upstream: address ?? (isOfAnthropic ? `${anthropic}/v1` : openai) };
}

/**
 * Finds a variable that makes Claude Code bypass the proxy, such as one that enables Bedrock or Vertex. Its settings
 * override the environment.
 */
async function claudeDetour(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const isDetour = (name: string): boolean => name.startsWith("CLAUDE_CODE_USE_");
  const set = Object.keys(env).find(isDetour);
  if (set !== undefined) return set;
  const folder = env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? homedir(), ".claude");
  const own = ["settings.json", "settings.local.json"].map((name) => `.claude/${name}`);
  for (const path of [join(folder, "settings.json"), ...own]) {
    const settings = parseJson(await readFile(path, "utf8").catch(() => ""));
    const names = Object.keys(recordAt(settings, "env"));
    const found = names.find((name) => isDetour(name) || name === "ANTHROPIC_BASE_URL");
    if (found !== undefined) return `${found} of ${path}`;
  }
  return undefined;
}

/** Chooses the API by login. ChatGPT accounts have their own API, and their tokens work only there. */
async function codexUpstream(env: NodeJS.ProcessEnv): Promise<string> {
  const file = join(env["CODEX_HOME"] ?? join(env["HOME"] ?? homedir(), ".codex"), "auth.json");
  const auth = parseJson(await readFile(file, "utf8").catch(() => ""));
  const key = env["CODEX_API_KEY"] ?? stringAt(auth, "OPENAI_API_KEY");
  const hasToken = stringAt(recordAt(auth, "tokens"), "access_token") !== undefined;
  const login = stringAt(auth, "auth_mode") ?? (key === undefined && hasToken ? "chatgpt" : "key");
  if (env["CODEX_API_KEY"] === undefined && login.startsWith("chatgpt"))
    return "https://chatgpt.com/backend-api/codex";
  const other = env["OPENAI_BASE_URL"];
  if ((key ?? env["OPENAI_API_KEY"] ?? other) !== undefined) return other ?? openai;
  throw new GatewayError(
    "invalid_options",
    `${file} contains no Codex login, so its API is unknown. Pass --upstream https://chatgpt.com/backend-api/codex for a ChatGPT account, or --upstream ${openai} for a key.`,
  );
}
