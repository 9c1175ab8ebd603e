import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { CclError } from "@ccl/core";
import { createGateway, createMemoryDecisionStore, type GatewayMode } from "@ccl/gateway";
import { openProxy, openRequestLog, type Proxy, summaryText } from "@ccl/gateway/node";

import { artifactCommand, sharedState } from "../artifact-folder.ts";
import { CliError } from "../cli-error.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { CommandResult } from "../output/command-result.ts";
import { openState, type State, type StateFlags } from "../open-state.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl proxy`. */
export interface ProxyFlags extends StateFlags {
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
  const { colours } = session.noteStyle;
  session.terminal.stderr.write(
    `${colours.green("listening")} on ${running.url} for ${upstream}, mode ${flags.mode}; ${folder.kind === "postgres" ? "decisions and artifacts in PostgreSQL, the log" : `decisions in files, artifacts in ${folder.kind},`} in ${folder.path}\n` +
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
export type WrapFlags = Omit<ProxyFlags, "port">;

/** Runs a command with its model calls through a proxy that ends with it. */
export async function wrap(
  session: Session,
  command: string[],
  flags: WrapFlags,
): Promise<CommandResult> {
  const [name = "", ...rest] = command;
  const { env } = session.terminal;
  const own = clientOf(name, env);
  const upstream = flags.upstream ?? env[own.variable] ?? own.upstream;
  const { running, folder } = await start(session, { ...flags, upstream, port: 0 });
  try {
    const child = spawn(name, [...(own.args?.(running.url) ?? []), ...rest], {
      stdio: "inherit",
      env: {
        ...own.extra,
        ...env,
        [own.variable]: running.url,
        [sharedState]: flags.postgres ?? env[sharedState],
      },
    });
    const [code]: unknown[] = await once(child, "exit");
    const isDone = code === 0;
    return { document: { exitCode: code }, exitCode: isDone ? EXIT_CODES.ok : EXIT_CODES.failure };
  } catch (cause) {
    throw new CliError("usage", `"${name}" can't be started.`, { cause });
  } finally {
    await running.close();
    await folder.close();
    session.terminal.stderr.write(summaryText(running.stats()));
  }
}

interface WrappedClient {
  /** By which it finds its API. */
  variable: string;
  upstream: string;
  extra?: Record<string, string> | undefined;
  /** Before the arguments that were given. */
  args?: ((url: string) => string[]) | undefined;
}

/** A client by its program; one of OpenAI's API unless it is known to be another. */
function clientOf(name: string, env: NodeJS.ProcessEnv): WrappedClient {
  if (/claude/.test(name))
    return {
      variable: "ANTHROPIC_BASE_URL",
      upstream: "https://api.anthropic.com",
      // Claude Code switches it off for addresses that it does not know.
      extra: { ENABLE_TOOL_SEARCH: "true" },
    };
  const openai = { variable: "OPENAI_BASE_URL", upstream: "https://api.openai.com/v1" };
  // Codex reads no variable.
  if (/codex/.test(name)) return { ...openai, args: (url) => ["-c", `openai_base_url="${url}"`] };
  const isOfAnthropic = /opencode/.test(name) && (env["ANTHROPIC_API_KEY"] ?? "") !== "";
  return isOfAnthropic
    ? { variable: "ANTHROPIC_BASE_URL", upstream: "https://api.anthropic.com/v1" }
    : openai;
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
    const store = await folder.decisions();
    const { mode, holdout, upstream, port, host } = flags;
    const parts = { store, artifactStore: folder.store, mode, holdout };
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
    const log = await openRequestLog(join(folder.path, "requests"), { texts: flags.record });
    const onRequest = log.add;
    const opened = await openProxy({ gateway, service, upstream, port, host, token, onRequest });
    const close = async (): Promise<void> => {
      await opened.close();
      await log.close();
    };
    return { running: { ...opened, close }, folder };
  } catch (error) {
    await folder.close();
    if (CclError.isInstance(error)) throw new CliError("usage", error.message, { cause: error });
    throw error;
  }
}

/** Plans a request, so that the first real one does not wait for code to be compiled. */
async function warmUp(): Promise<void> {
  const [store, artifactStore] = [createMemoryDecisionStore(), createMemoryArtifactStore()];
  const gateway = createGateway({ store, artifactStore, mode: "full", hint: "hash" });
  for (const content of warmUpResults()) {
    const messages = [
      { role: "user", content: `Which one failed? ${content.length}` },
      { role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: "" } }] },
      { role: "tool", tool_call_id: "c", content },
    ];
    const body = new TextEncoder().encode(JSON.stringify({ messages }));
    gateway.apply(body, await gateway.plan(body, {}));
  }
}

/** A log and a list of records. */
function warmUpResults(): string[] {
  const places = Array.from({ length: 400 }, (_, at) => at);
  return [
    places.map((at) => `10:00:${at % 60} INFO worker ${at % 7} took ${at * 31} ms`).join("\n"),
    JSON.stringify(
      places.map((at) => ({ id: `o-${at}`, state: at % 9 === 0 ? "failed" : "paid" })),
    ),
  ];
}
