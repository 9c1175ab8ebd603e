import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";

import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { CclError } from "@ccl/core";
import { parseJson, recordAt, stringAt } from "@ccl/core/json";
import { createGateway, type GatewayMode } from "@ccl/gateway";
import { openProxy, type Proxy, summaryText } from "@ccl/gateway/node";
import { recordTo } from "@ccl/inspector";
import { createMemoryRecords } from "@ccl/records";

import {
  artifactCommand,
  sharedState,
  openState,
  type State,
  type StateFlags,
} from "../artifact-folder.ts";
import { CliError } from "../cli-error.ts";
import type { CommandResult } from "../output/command-result.ts";
import type { Session } from "../session.ts";
import { codexOf } from "../user-places.ts";

/** Flags of `ccl proxy`. */
interface ProxyFlags extends StateFlags {
  upstream?: string | undefined;
  port: number;
  host?: string | undefined;
  mode: GatewayMode;
  holdout?: number | undefined;
  tokenEnv?: string | undefined;
  /** The log gets what prompts say too, not only how long they were and what they cost. */
  record?: boolean | undefined;
}

/** Runs until it is interrupted, then says what it did. */
export async function proxy(session: Session, flags: ProxyFlags): Promise<CommandResult> {
  const { upstream } = flags;
  if (upstream === undefined)
    throw new CliError(
      "usage",
      "Name the API: ccl proxy --upstream https://api.anthropic.com, or https://api.openai.com/v1.",
    );
  const { running, folder } = await start(session, { ...flags, upstream });
  session.terminal.stderr.write(
    `${session.noteStyle.colours.green("listening")} on ${running.url} for ${upstream}, mode ${flags.mode}; ${folder.kind === "postgres" ? "decisions and artifacts in PostgreSQL, the log" : `decisions in files, artifacts in ${folder.kind},`} in ${folder.path}\n` +
      `Set it as the base URL of a client, for example ANTHROPIC_BASE_URL=${running.url}. Ctrl+C ends it.\n`,
  );
  if (!session.signal.aborted) await once(session.signal, "abort");
  await running.close();
  await folder.close();
  const stats = running.stats();
  session.terminal.stderr.write(summaryText(stats));
  return { document: stats };
}

/** Flags of `ccl wrap`. */
type WrapFlags = Omit<ProxyFlags, "port">;

/** Runs a command with its model calls through a proxy that ends with it; ends as the command does. */
export async function wrap(
  session: Session,
  command: string[],
  flags: WrapFlags,
): Promise<CommandResult> {
  const [name = "", ...rest] = command;
  const { env, stderr } = session.terminal;
  const { variable, upstream, args, extra, detour } = await wrappedClient(
    name,
    session,
    flags.upstream,
  );
  const { running, folder } = await start(session, { ...flags, upstream, port: 0 });
  const set = Object.entries({ ...extra, [variable]: running.url }).map((one) => one.join("="));
  stderr.write(
    `${name} goes to ${upstream} through ${running.url}, mode ${flags.mode}, with ${set.join(" and ")}; state in ${folder.path}\n`,
  );
  // The command has its own answer to Ctrl+C, and the proxy stays for as long as the command does.
  session.forbidExit();
  try {
    const child = spawn(name, [...(args?.(running.url) ?? []), ...rest], {
      stdio: "inherit",
      env: {
        ...extra,
        ...env,
        [variable]: running.url,
        [sharedState]: flags.postgres ?? env[sharedState],
      },
    });
    // A terminal sends Ctrl+C to the command too; what this process alone gets is passed on.
    const signals = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
    const pass = (signal: NodeJS.Signals): void => {
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of signals) process.on(signal, pass);
    await once(child, "exit").finally(() => {
      for (const signal of signals) process.off(signal, pass);
    });
    const { exitCode: code, signalCode } = child;
    const exitCode = signalCode === null ? (code ?? 1) : 128 + constants.signals[signalCode];
    return { document: { exitCode }, exitCode, isCommitted: true };
  } catch (cause) {
    throw new CliError("usage", `"${name}" can't be started.`, { cause });
  } finally {
    await running.close();
    await folder.close();
    const stats = running.stats();
    stderr.write(summaryText(stats));
    if (stats.requests === 0)
      stderr.write(
        `No request came through the proxy: ${detour === undefined ? `${name} may not read ${variable}, or its settings name another address` : `${detour} is set`}. Nothing was shortened.\n`,
      );
  }
}

async function start(
  session: Session,
  flags: ProxyFlags & { upstream: string },
): Promise<{ running: Proxy; folder: State }> {
  const { terminal } = session;
  const token = flags.tokenEnv === undefined ? undefined : terminal.env[flags.tokenEnv];
  if (flags.tokenEnv !== undefined && token === undefined)
    throw new CliError("usage", `The variable ${flags.tokenEnv} of --token-env is not set.`);
  const folder = await openState(session, flags);
  try {
    await warmUp();
    const records = await folder.decisions();
    const { mode, holdout, upstream, port, host } = flags;
    const parts = { records, artifactStore: folder.store, mode, holdout };
    const service = {
      gateway: createGateway({ ...parts, hint: "hash" }),
      artifactStore: folder.store,
    };
    const hint = (id: string): string =>
      artifactCommand(
        terminal,
        `search ${id.slice(0, 12)} "words"`,
        folder.kind === "postgres" ? undefined : flags.state,
      );
    const gateway = createGateway({ ...parts, hint });
    // What prompts say stays on this machine.
    const record = recordTo(join(folder.path, "requests"), { texts: flags.record });
    const opened = await openProxy({ gateway, service, upstream, port, host, token, record });
    const close = async (): Promise<void> => {
      await opened.close();
      await record.close();
      await records.close();
    };
    return { running: { ...opened, close }, folder };
  } catch (error) {
    await folder.close();
    if (CclError.isInstance(error)) throw new CliError("usage", error.message, { cause: error });
    throw error;
  }
}

/** Plans requests, so that the first real one does not wait for code to be compiled. */
async function warmUp(): Promise<void> {
  const [records, artifactStore] = [createMemoryRecords(), createMemoryArtifactStore()];
  const gateway = createGateway({ records, artifactStore, mode: "full", hint: "hash" });
  const lines = Array.from({ length: 400 }, (_, at) => `10:00 INFO worker ${at % 7} took ${at} ms`);
  for (const content of [lines.join("\n"), JSON.stringify(lines.map((line) => ({ line })))]) {
    const messages = [{ role: "tool", tool_call_id: "c", content }];
    await gateway.plan(new TextEncoder().encode(JSON.stringify({ messages })), {});
  }
}

/** A program and how it finds its API. */
interface WrappedClient {
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
async function wrappedClient(
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
