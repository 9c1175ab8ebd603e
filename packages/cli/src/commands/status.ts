import { numberAt, parseJson, stringAt } from "@ccl/core/json";
import { reportedUsd } from "@ccl/gateway/audit";

import type { CommandResult } from "../output/command-result.ts";
import { type Finding, finding, findingsResult } from "../output/findings.ts";
import { readInput } from "../plan/read-input.ts";
import type { Session } from "../session.ts";
import { readSettings } from "../settings/change-settings.ts";
import { readAgentLog } from "./audit.ts";
import { clientSettings } from "./install.ts";

/** Flags of `ccl status`. */
interface StatusFlags {
  line?: boolean | undefined;
  url?: string | undefined;
  tokenEnv?: string | undefined;
}

const variables = ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"] as const;
const answersWithinMs = 3000;

/** Reports which clients use ccl, and whether a proxy runs and is used. Sends nothing to an API. */
export async function status(session: Session, flags: StatusFlags): Promise<CommandResult> {
  if (flags.line === true) return await statusLine(session);
  const { env } = session.terminal;
  const set = variables.flatMap((name) => {
    const value = env[name];
    return value === undefined || value === "" ? [] : [{ name, value }];
  });
  const address = proxyOf(env, flags.url);
  const health = await askProxy(`${address}/health`);
  const isProxy = isGateway(health);
  const token = flags.tokenEnv === undefined ? undefined : env[flags.tokenEnv];
  const stats = isProxy ? await askProxy(`${address}/stats`, token) : undefined;
  const isNeeded = flags.url !== undefined || set.some(({ value }) => isLocal(value));
  const no = `${health === undefined ? "nothing answers" : "something else answers"} on ${address}`;
  const findings: Finding[] = [
    ...(await clientFindings(session)),
    isProxy
      ? finding("proxy", "ok", `answers on ${address}`)
      : finding(
          "proxy",
          isNeeded ? "problem" : "hint",
          `${no}; "ccl wrap -- <command>" starts one for a command, "ccl proxy --upstream <url>" one that stays`,
        ),
    ...variableFindings(set, address),
    ...(isProxy ? [traffic(stats)] : []),
  ];
  return findingsResult(findings, { address, stats });
}

/** The proxy's address for clients started from this shell. */
function proxyOf(env: NodeJS.ProcessEnv, url?: string): string {
  const local = variables.map((name) => env[name] ?? "").find(isLocal);
  return originOf(url ?? local ?? "http://127.0.0.1:8788");
}

/** The clients whose settings contain ccl. */
async function clientFindings(session: Session): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { client, settings } of clientSettings(session)) {
    const text = (await readSettings(settings.path)) ?? "";
    if (!text.includes("ccl") || settings.remove(text) === text) continue;
    findings.push(
      settings.edit(text) === text
        ? finding(client, "ok", `on in ${settings.path}`)
        : finding(client, "hint", `on in ${settings.path} by another ccl; "ccl on" renews it`),
    );
  }
  const none = 'in no settings; "ccl on claude" sets it up, or codex, opencode, cursor, vscode';
  return findings.length > 0 ? findings : [finding("clients", "hint", none)];
}

/** The status line for Claude Code, which passes the session on stdin. */
async function statusLine(session: Session): Promise<CommandResult> {
  const given = parseJson(await readInput(session, "-", "what Claude Code says of its session"));
  const path = stringAt(given, "transcript_path");
  const transcripts = path === undefined ? [] : await readAgentLog(path).catch(() => []);
  const reported = transcripts.flatMap((one) => reportedUsd(one) ?? []);
  const usd = reported.reduce((sum, one) => sum + one, 0);
  const fetched = transcripts
    .flatMap(({ items }) => items)
    .filter(({ kind, tool, text }) => kind === "call" && isFetch.test(`${tool} ${text}`)).length;
  const { env } = session.terminal;
  const isWrapped = variables.some((name) => isLocal(env[name] ?? ""));
  const stats = isWrapped ? await askProxy(`${proxyOf(env)}/stats`) : undefined;
  const saved = (numberAt(stats, "directUsd") ?? 0) - (numberAt(stats, "usd") ?? 0);
  const parts = [
    reported.length === 0 ? "input not reported" : `input $${usd.toFixed(2)} as reported`,
    `${fetched} fetched back`,
    ...(stats === undefined ? [] : [`about $${saved.toFixed(2)} saved (estimate)`]),
  ];
  return {
    document: { reportedUsd: reported.length === 0 ? undefined : usd, fetched, saved },
    text: () => `ccl: ${parts.join(", ")}\n`,
  };
}

const isFetch = /\bartifacts (read|search)\b|\b(read|search)_artifact\b/;

function variableFindings(
  set: readonly { name: string; value: string }[],
  address: string,
): Finding[] {
  return set.map(({ name, value }) =>
    originOf(value) === address
      ? finding("shell", "ok", `${name} leads to the proxy`)
      : finding("shell", "hint", `${name} leads to ${originOf(value)}, past the proxy`),
  );
}

function traffic(stats: unknown): Finding {
  const requests = numberAt(stats, "requests");
  if (requests === undefined)
    return finding(
      "traffic",
      "hint",
      "/stats is not open: name the variable of the token with --token-env",
    );
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

/** The proxy's answer as JSON. Empty if it refuses, undefined if nothing there answers in JSON. */
export async function askProxy(url: string, token?: string): Promise<unknown> {
  try {
    const headers: Record<string, string> = token === undefined ? {} : { "x-ccl-token": token };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(answersWithinMs) });
    return response.ok ? await response.json() : {};
  } catch {
    return undefined;
  }
}

/** An address without path and password. */
export function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}

function isLocal(address: string): boolean {
  return (
    URL.canParse(address) && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(new URL(address).hostname)
  );
}
