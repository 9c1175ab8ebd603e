import { numberAt, recordAt, stringAt } from "@ccl/core/json";

import type { CommandResult } from "../output/command-result.ts";
import { type Finding, finding, findingsResult } from "../output/findings.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl proxy doctor`. */
export interface ProxyDoctorFlags {
  url?: string | undefined;
  tokenEnv?: string | undefined;
}

const variables = ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"] as const;
const answersWithinMs = 3000;

/** Says whether a proxy runs, whether clients would use it, and whether requests flow through it. Sends nothing to an API. */
export async function proxyDoctor(
  { terminal }: Session,
  { url, tokenEnv }: ProxyDoctorFlags,
): Promise<CommandResult> {
  const { env } = terminal;
  const set = variables.flatMap((name) => {
    const value = env[name];
    return value === undefined || value === "" ? [] : [{ name, value }];
  });
  const local = set.find(({ value }) => isLocal(value))?.value;
  const address = originOf(url ?? local ?? "http://127.0.0.1:8788");
  const health = await askProxy(`${address}/health`);
  const isProxy = isGateway(health);
  const token = tokenEnv === undefined ? undefined : env[tokenEnv];
  const stats = isProxy ? await askProxy(`${address}/stats`, token) : undefined;
  const findings: Finding[] = [
    isProxy
      ? finding("proxy", "ok", `answers on ${address}`)
      : finding(
          "proxy",
          "problem",
          `${health === undefined ? "nothing answers" : "something else answers"} on ${address}; start one with "ccl proxy --upstream <url>", or name it with --url`,
        ),
    ...variableFindings(set, address),
    ...(isProxy ? [traffic(stats)] : []),
  ];
  return findingsResult(findings, { address, stats });
}

function variableFindings(
  set: readonly { name: string; value: string }[],
  address: string,
): Finding[] {
  if (set.length === 0)
    return [
      finding(
        "clients",
        "hint",
        `neither ${variables.join(" nor ")} is set in this shell, so clients started here call their API directly; set one to ${address}, or use "ccl wrap"`,
      ),
    ];
  return set.map(({ name, value }) =>
    originOf(value) === address
      ? finding("clients", "ok", `${name} leads to the proxy`)
      : finding("clients", "hint", `${name} leads to ${originOf(value)}, past the proxy`),
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
  const reasons = Object.entries(recordAt(stats, "passed")).map(
    ([reason, count]) => `, ${String(count)} ${reason}`,
  );
  const changed = numberAt(stats, "changed") ?? 0;
  const errors = numberAt(stats, "upstreamErrors") ?? 0;
  return finding(
    "traffic",
    errors === requests ? "problem" : "ok",
    `requests: ${requests}; shortened ${changed}${reasons.join("")}; API not reached ${errors}`,
  );
}

/** True of what a gateway answers at `/health`. */
export function isGateway(health: unknown): boolean {
  return stringAt(health, "service") === "ccl";
}

/** What it answers as JSON: empty where it refuses, undefined where nothing that speaks JSON is there. */
export async function askProxy(url: string, token?: string): Promise<unknown> {
  try {
    const headers: Record<string, string> = token === undefined ? {} : { "x-ccl-token": token };
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(answersWithinMs) });
    return response.ok ? await response.json() : {};
  } catch {
    return undefined;
  }
}

/** Without a path or a password. */
export function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address;
}

function isLocal(address: string): boolean {
  return (
    URL.canParse(address) && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(new URL(address).hostname)
  );
}
