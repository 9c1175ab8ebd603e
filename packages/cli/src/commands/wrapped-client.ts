import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { parseJson, recordAt, stringAt } from "@ccl/core/json";

import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import { codexOf } from "../user-places.ts";

/** A program and how it finds its API. */
export interface WrappedClient {
  /** Leads it to an API. */
  variable: string;
  /** Where it would go by itself. */
  upstream: string;
  extra?: Record<string, string> | undefined;
  /** Before the arguments that were given. */
  args?: ((url: string) => string[]) | undefined;
  /** A variable by which it goes past the proxy, to Bedrock or Vertex. */
  detour?: string | undefined;
}

/** A client by its program; one of OpenAI's API unless it is known to be another. */
export async function wrappedClient(
  name: string,
  { terminal: { env } }: Session,
  upstream?: string,
): Promise<WrappedClient> {
  const isOfAnthropic = /opencode/.test(name) && (env["ANTHROPIC_API_KEY"] ?? "") !== "";
  const isClaude = /claude/.test(name);
  const variable = isClaude || isOfAnthropic ? "ANTHROPIC_BASE_URL" : "OPENAI_BASE_URL";
  const given = upstream ?? env[variable];
  if (isClaude)
    return {
      variable,
      upstream: given ?? "https://api.anthropic.com",
      // Claude Code switches it off for addresses that it does not know.
      extra: { ENABLE_TOOL_SEARCH: "true" },
      detour: Object.keys(env).find((one) => one.startsWith("CLAUDE_CODE_USE_")),
    };
  if (/codex/.test(name))
    return {
      variable,
      upstream: upstream ?? (await codexUpstream(env)),
      // It reads no variable.
      args: (url) => ["-c", `openai_base_url="${url}"`],
    };
  const api = isOfAnthropic ? "https://api.anthropic.com/v1" : "https://api.openai.com/v1";
  return { variable, upstream: given ?? api };
}

/** By the login: a ChatGPT account has an API of its own, which gets its token alone. */
async function codexUpstream(env: NodeJS.ProcessEnv): Promise<string> {
  const file = join(codexOf(env), "auth.json");
  const auth = parseJson(await readFile(file, "utf8").catch(() => ""));
  const key = env["CODEX_API_KEY"] ?? stringAt(auth, "OPENAI_API_KEY");
  const hasToken = stringAt(recordAt(auth, "tokens"), "access_token") !== undefined;
  const login = stringAt(auth, "auth_mode") ?? (key === undefined && hasToken ? "chatgpt" : "key");
  if (env["CODEX_API_KEY"] === undefined && login.startsWith("chatgpt"))
    return "https://chatgpt.com/backend-api/codex";
  const other = env["OPENAI_BASE_URL"];
  if ((key ?? env["OPENAI_API_KEY"] ?? other) !== undefined)
    return other ?? "https://api.openai.com/v1";
  throw new CliError(
    "usage",
    `${file} has no login of Codex, so its API is not known. Name it: --upstream https://chatgpt.com/backend-api/codex for a ChatGPT account, --upstream https://api.openai.com/v1 for a key.`,
  );
}
