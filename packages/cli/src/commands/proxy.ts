import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { join } from "node:path";

import { createGateway, type GatewayMode } from "@ccl/gateway";
import { findUpstream, openProxy, type Proxy, summaryText } from "@ccl/gateway/node";
import { recordTo } from "@ccl/inspector";

import {
  artifactCommand,
  sharedState,
  openState,
  type State,
  type StateFlags,
} from "../artifact-folder.ts";
import { usageError } from "../cli-error.ts";
import type { CommandResult, Session } from "../session.ts";

/** Flags of `ccl proxy`. */
interface ProxyFlags extends StateFlags {
  upstream?: string | undefined;
  port: number;
  host?: string | undefined;
  mode: GatewayMode;
  holdout?: number | undefined;
  tokenEnv?: string | undefined;
  /** True to also log the text of prompts, not only sizes and costs. */
  record?: boolean | undefined;
}

/** Runs a proxy until interrupted, then reports what it did. */
export async function proxy(session: Session, flags: ProxyFlags): Promise<CommandResult> {
  const { upstream } = flags;
  if (upstream === undefined)
    throw usageError(
      "Name the API: ccl proxy --upstream https://api.anthropic.com, or https://api.openai.com/v1.",
    );
  const { running, folder } = await start(session, { ...flags, upstream });
  session.terminal.stderr.write(
    `${session.noteStyle.colours.green("listening")} on ${running.url} for ${upstream}, mode ${flags.mode}; artifacts in ${folder.kind}, log in ${folder.path}\n` +
      `Set it as a client's base URL, such as ANTHROPIC_BASE_URL=${running.url}. Ctrl+C ends it.\n`,
  );
  if (!session.signal.aborted) await once(session.signal, "abort");
  await running.close();
  const stats = running.stats();
  session.terminal.stderr.write(summaryText(stats));
  return { document: stats };
}

/** Flags of `ccl wrap`. */
type WrapFlags = Omit<ProxyFlags, "port">;

/** Runs a command and routes its model calls through a proxy that ends with it. Exits with the command's exit code. */
export async function wrap(
  session: Session,
  command: string[],
  flags: WrapFlags,
): Promise<CommandResult> {
  const [name = "", ...rest] = command;
  const { env, stderr } = session.terminal;
  const { variable, upstream, args, extra, detour } = await findUpstream(name, env, flags.upstream);
  const { running, folder } = await start(session, { ...flags, upstream, port: 0 });
  const childEnv = { ...extra, ...env, [variable]: running.url };
  const set = [...Object.keys(extra ?? {}), variable].map((one) => `${one}=${childEnv[one]}`);
  stderr.write(
    `${name} goes to ${upstream} through ${running.url}, mode ${flags.mode}, with ${set.join(" and ")}; state in ${folder.path}\n`,
  );
  // The command handles Ctrl+C itself, and the proxy must run as long as the command.
  session.forbidExit();
  let exitCode: number;
  try {
    const child = spawn(name, [...(args?.(running.url) ?? []), ...rest], {
      stdio: "inherit",
      env: { ...childEnv, [sharedState]: flags.postgres ?? env[sharedState] },
    });
    // A terminal sends Ctrl+C to the command too. Forward signals that only this process receives.
    const signals = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
    const pass = (signal: NodeJS.Signals): void => {
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of signals) process.on(signal, pass);
    await once(child, "exit").finally(() => {
      for (const signal of signals) process.off(signal, pass);
    });
    const { exitCode: code, signalCode } = child;
    exitCode = signalCode === null ? (code ?? 1) : 128 + constants.signals[signalCode];
  } catch (cause) {
    throw usageError(
      `"${name}" can't be started. Check that it is installed and on the PATH.`,
      cause,
    );
  } finally {
    await running.close();
    stderr.write(summaryText(running.stats()));
  }
  if (running.stats().requests === 0)
    stderr.write(
      `No request came through the proxy: ${detour === undefined ? `${name} may not read ${variable}, or its settings name another address` : `${detour} is set`}. Nothing was shortened.\n`,
    );
  return { document: { exitCode }, exitCode, isCommitted: true };
}

async function start(
  session: Session,
  flags: ProxyFlags & { upstream: string },
): Promise<{ running: Proxy; folder: State }> {
  const { terminal } = session;
  const token = flags.tokenEnv === undefined ? undefined : terminal.env[flags.tokenEnv];
  if (flags.tokenEnv !== undefined && token === undefined)
    throw usageError(
      `The variable ${flags.tokenEnv} of --token-env is not set. Set it to the token first.`,
    );
  const folder = await openState(session, flags);
  try {
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
    // The text of prompts stays on this machine.
    const record = recordTo(join(folder.path, "requests"), { texts: flags.record });
    const opened = await openProxy({ gateway, service, upstream, port, host, token, record });
    const close = async (): Promise<void> => {
      await opened.close();
      await record.close();
      await records.close();
      await folder.close();
    };
    return { running: { ...opened, close }, folder };
  } catch (error) {
    await folder.close();
    throw error;
  }
}
