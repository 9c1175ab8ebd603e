import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { CclError } from "@ccl/core";
import { createGateway, type GatewayMode } from "@ccl/gateway";
import { openFileDecisionStore, openProxy, type Proxy, type ProxyStats } from "@ccl/gateway/node";

import { type ArtifactFolder, openArtifactFolder, stateFolder } from "../artifact-folder.ts";
import { CliError } from "../cli-error.ts";
import { EXIT_CODES } from "../exit-code.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatCount } from "../output/format-number.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl proxy`. */
export interface ProxyFlags {
  upstream: string;
  port: number;
  host?: string | undefined;
  mode: GatewayMode;
  holdout?: number | undefined;
  tokenEnv?: string | undefined;
  state?: string | undefined;
}

/** Runs until it is interrupted, then says what it did. */
export async function proxy(session: Session, flags: ProxyFlags): Promise<CommandResult> {
  const { running, folder } = await start(session, flags);
  const { colours } = session.noteStyle;
  session.terminal.stderr.write(
    `${colours.green("listening")} on ${running.url} for ${flags.upstream}, mode ${flags.mode}; decisions in files, artifacts in ${folder.kind}, in ${folder.path}\n` +
      `Set it as the base URL of a client, for example ANTHROPIC_BASE_URL=${running.url}. Ctrl+C ends it.\n`,
  );
  if (!session.signal.aborted) await once(session.signal, "abort");
  await running.close();
  await folder.close();
  const stats = running.stats();
  session.terminal.stderr.write(statsText(stats));
  return { document: stats };
}

/** Flags of `ccl wrap`. */
export interface WrapFlags extends Omit<ProxyFlags, "upstream" | "port"> {
  upstream?: string | undefined;
}

/** Runs a command with its model calls through a proxy that ends with it. */
export async function wrap(
  session: Session,
  command: string[],
  flags: WrapFlags,
): Promise<CommandResult> {
  const [name = "", ...rest] = command;
  const { env } = session.terminal;
  const own = clientOf(name);
  const upstream = flags.upstream ?? env[own.variable] ?? own.upstream;
  const { running, folder } = await start(session, { ...flags, upstream, port: 0 });
  try {
    const child = spawn(name, rest, {
      stdio: "inherit",
      env: { ...env, [own.variable]: running.url + own.path },
    });
    const [code]: unknown[] = await once(child, "exit");
    const isDone = code === 0;
    return { document: { exitCode: code }, exitCode: isDone ? EXIT_CODES.ok : EXIT_CODES.failure };
  } catch (cause) {
    throw new CliError("usage", `"${name}" can't be started.`, { cause });
  } finally {
    await running.close();
    await folder.close();
    session.terminal.stderr.write(statsText(running.stats()));
  }
}

/** The variable by which a client finds its API; clients of OpenAI's API unless it is known to be another. */
function clientOf(name: string): { variable: string; upstream: string; path: string } {
  return /claude/.test(name)
    ? { variable: "ANTHROPIC_BASE_URL", upstream: "https://api.anthropic.com", path: "" }
    : { variable: "OPENAI_BASE_URL", upstream: "https://api.openai.com/v1", path: "" };
}

async function start(
  { terminal }: Session,
  flags: ProxyFlags,
): Promise<{ running: Proxy; folder: ArtifactFolder }> {
  const state = flags.state ?? stateFolder(terminal);
  const token = flags.tokenEnv === undefined ? undefined : terminal.env[flags.tokenEnv];
  if (flags.tokenEnv !== undefined && token === undefined)
    throw new CliError("usage", `The variable ${flags.tokenEnv} of --token-env is not set.`);
  const folder = await openArtifactFolder(state);
  try {
    const store = await openFileDecisionStore(join(folder.path, "decisions"));
    const { mode, holdout, upstream, port, host } = flags;
    const gateway = createGateway({ store, artifactStore: folder.store, mode, holdout });
    return { running: await openProxy({ gateway, upstream, port, host, token }), folder };
  } catch (error) {
    await folder.close();
    if (CclError.isInstance(error)) throw new CliError("usage", error.message, { cause: error });
    throw error;
  }
}

function statsText({ requests, changed, passed, directUsd, usd, reported }: ProxyStats): string {
  const saved = directUsd === 0 ? 0 : ((directUsd - usd) / directUsd) * 100;
  const reasons = Object.entries(passed)
    .map(([reason, count]) => ` ${count} passed unchanged: ${reason}.`)
    .join("");
  return `${formatCount(requests, "request")}, ${changed} with shorter results: input $${usd.toFixed(4)} instead of $${directUsd.toFixed(4)} by list prices, cache counted (${saved.toFixed(1)} % less). The provider reported ${reported.cached} of ${reported.total} input tokens as cached.${reasons}\n`;
}
