import type { GatewayPlan, PassReason } from "../gateway/create-gateway.ts";
import type { ReportedInput } from "../history/read-request.ts";
import { cachePriceOf } from "../price/cache-price.ts";

/** Why a request was not looked into. */
export type UnreadReason =
  | "other_path"
  /** A path of an API that is not understood, such as Gemini's, Bedrock's or Vertex'. */
  | "other_api"
  | "too_large"
  | "unknown_length"
  | "unreadable_encoding";

/** What a proxy did since it was started. Money is in US dollars at list prices, with the cache counted. */
export interface ProxyStats {
  requests: number;
  changed: number;
  /** Requests that went out as they came. */
  passed: Partial<Record<PassReason | UnreadReason, number>>;
  upstreamErrors: number;
  clientsGone: number;
  /** Input of all prompts as they came and as they went out, by the price model. */
  directUsd: number;
  usd: number;
  /** The same if no session had been left alone, as `audit` and `holdout` do. */
  plannedUsd: number;
  /** Input tokens as the provider reported them. */
  reported: ReportedInput;
  /** Answers to requests that were looked into which reported no input, or in an encoding that can't be read. */
  unreported: number;
  /** Of requests whose answer reported its input, by whether their session was held out: what the price model is checked by. */
  compared: Record<"heldOut" | "planned", ComparedInput>;
}

/** Input as it came by the price model, and as it went out by what the provider reported. */
interface ComparedInput {
  directUsd: number;
  reportedUsd: number;
}

/** The share that was saved beside the sessions that were held out, by what the provider reported; undefined without either. */
export function measuredSaving({ compared }: Pick<ProxyStats, "compared">): number | undefined {
  const { heldOut, planned } = compared;
  if (heldOut.reportedUsd === 0 || planned.directUsd === 0) return undefined;
  return 1 - (planned.reportedUsd / planned.directUsd) * (heldOut.directUsd / heldOut.reportedUsd);
}

/** Nothing done yet. */
export function newStats(): ProxyStats {
  const reported = { total: 0, cached: 0, written: 0 };
  return {
    requests: 0,
    changed: 0,
    passed: {},
    upstreamErrors: 0,
    clientsGone: 0,
    directUsd: 0,
    usd: 0,
    plannedUsd: 0,
    reported,
    unreported: 0,
    compared: {
      heldOut: { directUsd: 0, reportedUsd: 0 },
      planned: { directUsd: 0, reportedUsd: 0 },
    },
  };
}

/** Counts a plan. */
export function countPlan(stats: ProxyStats, plan: GatewayPlan): void {
  if (plan.edits.length > 0) stats.changed += 1;
  if (plan.reason !== undefined) countPass(stats, plan.reason);
  const usd = cachePriceOf(plan.model).usdPerMillion / 1e6;
  stats.directUsd += plan.directPrice * usd;
  stats.plannedUsd += plan.price * usd;
  stats.usd += (isLeftAlone(plan) ? plan.directPrice : plan.price) * usd;
}

function isLeftAlone({ reason }: GatewayPlan): boolean {
  return reason === "audit" || reason === "holdout";
}

/** Counts what the provider reported of a request that was answered well. */
export function countReported(
  stats: ProxyStats,
  plan: GatewayPlan,
  reported: ReportedInput | undefined,
): void {
  if (reported === undefined) {
    stats.unreported += 1;
    return;
  }
  const { total, cached, written } = reported;
  stats.reported.total += total;
  stats.reported.cached += cached;
  stats.reported.written += written;
  if (total === 0 || plan.directPrice === 0) return;
  const { read, write, usdPerMillion } = cachePriceOf(plan.model);
  const usd = usdPerMillion / 1e6;
  const group = stats.compared[plan.reason === "holdout" ? "heldOut" : "planned"];
  group.directUsd += plan.directPrice * usd;
  group.reportedUsd += (total - cached - written + cached * read + written * write) * usd;
}

/** Counts a request that went out as it came. */
export function countPass(stats: ProxyStats, reason: keyof ProxyStats["passed"]): void {
  stats.passed[reason] = (stats.passed[reason] ?? 0) + 1;
}

/** In the text format of Prometheus, with the memory of the process. */
export function metricsText(stats: ProxyStats): string {
  const { rss, heapUsed } = process.memoryUsage();
  const lines = [
    `process_resident_memory_bytes ${rss}`,
    `nodejs_heap_size_used_bytes ${heapUsed}`,
    `ccl_requests_total ${stats.requests}`,
    `ccl_requests_changed_total ${stats.changed}`,
    ...Object.entries(stats.passed).map(
      ([reason, count]) => `ccl_requests_passed_total{reason="${reason}"} ${count}`,
    ),
    `ccl_upstream_errors_total ${stats.upstreamErrors}`,
    `ccl_answers_unreported_total ${stats.unreported}`,
    `ccl_clients_gone_total ${stats.clientsGone}`,
    `ccl_input_direct_usd_total ${stats.directUsd}`,
    `ccl_input_usd_total ${stats.usd}`,
    `ccl_input_planned_usd_total ${stats.plannedUsd}`,
    ...Object.entries(stats.compared).flatMap(([group, { directUsd, reportedUsd }]) => [
      `ccl_compared_direct_usd_total{group="${group}"} ${directUsd}`,
      `ccl_compared_reported_usd_total{group="${group}"} ${reportedUsd}`,
    ]),
    ...Object.entries(stats.reported).map(
      ([kind, tokens]) => `ccl_reported_tokens_total{kind="${kind}"} ${tokens}`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}
