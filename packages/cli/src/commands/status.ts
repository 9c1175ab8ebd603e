import { numberAt, parseJson, stringAt } from "@ccl/core/json";
import { reportedUsd } from "@ccl/gateway/audit";

import { type Finding, finding, findingsResult } from "../output/findings.ts";
import { readInput } from "../plan/read-input.ts";
import type { CommandResult, Session } from "../session.ts";
import { readSettings } from "../settings/change-settings.ts";
import { findLogs, readAgentLog } from "./audit.ts";
import { clientSettings } from "./install.ts";

/** Flags of `ccl status`. */
interface StatusFlags {
  line?: boolean | undefined;
  url?: string | undefined;
  tokenEnv?: string | undefined;
}

const variables = ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"];

/** Reports which clients use ccl, and whether a proxy runs and is used. Sends nothing to an API. */
export async function status(session: Session, flags: StatusFlags): Promise<CommandResult> {
  if (flags.line) return statusLine(session);
  const { env } = session.terminal;
  const set = variables.flatMap((name) => {
    const value = env[name];
    return value ? [{ name, value }] : [];
  });
  const address = proxyOf(env, flags.url);
  const health = await askProxy(`${address}/health`);
  const isProxy = isGateway(health);
  const token = env[flags.tokenEnv ?? ""];
  const stats = isProxy ? await askProxy(`${address}/stats`, token) : undefined;
  const isNeeded = flags.url !== undefined || set.some(({ value }) => isLocal(value));
  const findings: Finding[] = [
    ...(await clientFindings(session)),
    isProxy
      ? finding("proxy", "ok", `answers on ${address}`)
      : finding(
          "proxy",
          isNeeded ? "problem" : "hint",
          `${health === undefined ? "nothing" : "something else"} answers on ${address}; "ccl wrap -- <command>" starts one for a command, "ccl proxy --upstream <url>" one that stays`,
        ),
    ...set.map(({ name, value }) =>
      originOf(value) === address
        ? finding("shell", "ok", `${name} points to the proxy`)
        : finding("shell", "hint", `${name} points to ${originOf(value)}, not to the proxy`),
    ),
    ...(isProxy ? [traffic(stats)] : []),
  ];
  return findingsResult(findings, { address, stats });
}

/** Finds the proxy's address for clients started from this shell. */
function proxyOf(env: NodeJS.ProcessEnv, url?: string): string {
  const local = variables.map((name) => env[name] ?? "").find(isLocal);
  return originOf(url ?? local ?? "http://127.0.0.1:8788");
}

/** Finds the clients whose settings contain ccl. */
async function clientFindings(session: Session): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { client, settings } of clientSettings(session)) {
    const text = (await readSettings(settings.path)) ?? "";
    if (!text.includes("ccl") || settings.remove(text) === text) continue;
    findings.push(
      settings.edit(text) === text
        ? finding(client, "ok", `on in ${settings.path}`)
        : finding(client, "hint", `on in ${settings.path} by another ccl; "ccl on" updates it`),
    );
  }
  if (findings.length > 0) return findings;
  const none = 'not set up; "ccl on claude" does it, or codex, opencode, cursor, vscode';
  return [finding("clients", "hint", none)];
}

/** Prints the status line for Claude Code, which passes the session on stdin. */
async function statusLine(session: Session): Promise<CommandResult> {
  const given = parseJson(await readInput(session, "-", "the session data of Claude Code"));
  const path = stringAt(given, "transcript_path");
  const logs = await findLogs(path === undefined ? [] : [path]);
  const read = await Promise.all(logs.map(readAgentLog));
  const transcripts = read.flatMap((file) => file.transcripts);
  const usd = reportedUsd(transcripts);
  const fetched = transcripts
    .flatMap(({ items }) => items)
    .filter(({ kind, tool, text }) => kind === "call" && isFetch.test(`${tool} ${text}`)).length;
  const { env } = session.terminal;
  const isWrapped = variables.some((name) => isLocal(env[name] ?? ""));
  const stats = isWrapped ? await askProxy(`${proxyOf(env)}/stats`) : undefined;
  const saved = savedUsd(stats);
  const input = usd === undefined ? "input cost unknown" : `input $${usd.toFixed(2)} as reported`;
  const saving =
    saved === undefined ? ", saving unknown" : `, about $${saved.toFixed(2)} saved (estimate)`;
  return {
    document: { reportedUsd: usd, fetched, saved },
    text: `ccl: ${input}, ${fetched} fetched back${isWrapped ? saving : ""}\n`,
  };
}

/**
 * Computes the savings in dollars. Undefined if the proxy returned no figures, or none for a model with a known price.
 */
function savedUsd(stats: unknown): number | undefined {
  const [direct, usd] = [numberAt(stats, "directUsd"), numberAt(stats, "usd")];
  const isUnpriced = direct === 0 && (numberAt(stats, "unpriced") ?? 0) > 0;
  return direct === undefined || usd === undefined || isUnpriced ? undefined : direct - usd;
}

const isFetch = /\bartifacts (read|search)\b|\b(read|search)_artifact\b/;

function traffic(stats: unknown): Finding {
  const requests = numberAt(stats, "requests");
  if (requests === undefined)
    return finding("traffic", "hint", "/stats needs a token: name its variable with --token-env");
  if (requests === 0)
    return finding("traffic", "hint", "no request has come through since it started");
  const changed = numberAt(stats, "changed") ?? 0;
  const errors = numberAt(stats, "upstreamErrors") ?? 0;
  return finding(
    "traffic",
    errors === requests ? "problem" : "ok",
    `requests: ${requests}; shortened ${changed}; API not reached ${errors}`,
  );
}

/** True for a gateway's answer at `/health`. */
export function isGateway(health: unknown): boolean {
  return stringAt(health, "service") === "ccl";
}

/**
 * Reads the proxy's response as JSON. An empty object if it rejects the request, undefined if nothing responds with
 * JSON.
 */
export async function askProxy(url: string, token?: string): Promise<unknown> {
  try {
    const headers: Record<string, string> = token === undefined ? {} : { "x-ccl-token": token };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(3000) });
    return response.ok ? await response.json() : {};
  } catch {
    return undefined;
  }
}

/** Removes path and password from an address. */
export function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}

function isLocal(address: string): boolean {
  return (
    URL.canParse(address) && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(new URL(address).hostname)
  );
}
