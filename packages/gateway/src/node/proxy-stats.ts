import { formatCount } from "@ccl/core";

import type { GatewayPlan, PassReason } from "../gateway/create-gateway.ts";
import type { ReportedInput } from "../history/read-request.ts";
import { cachePriceOf, reportedPrice } from "../price/cache-price.ts";

/** Why a request was not parsed. */
export type UnreadReason =
  | "other_path"
  /** The path belongs to an API that the gateway does not support, such as Gemini, Bedrock or Vertex. */
  | "other_api"
  | "too_large"
  | "unknown_length"
  | "unreadable_encoding";

/** Statistics since the proxy started. Costs are in US dollars at list prices, and include the provider's cache. */
export interface ProxyStats {
  requests: number;
  changed: number;
  /** Number of requests sent unchanged, by reason. */
  passed: Partial<Record<PassReason | UnreadReason, number>>;
  upstreamErrors: number;
  clientsGone: number;
  /** Input cost of all prompts by the price model: unchanged and as sent. */
  directUsd: number;
  usd: number;
  /** The cost as sent if `audit` and `holdout` had not left sessions unchanged. */
  plannedUsd: number;
  /** Input tokens according to the provider. */
  reported: ReportedInput;
  /** Answers to parsed requests that reported no input tokens, or could not be decoded. */
  unreported: number;
  /** Requests for models without a known price. Excluded from the costs. */
  unpriced: number;
  /** Requests in `full` that were handled as `safe`, since they have no tool to get omitted content. */
  withoutWayBack: number;
  /** Requests with reported input, grouped by whether their session was held out. Used to check the price model. */
  compared: Record<"heldOut" | "planned", ComparedInput>;
}

/** Input costs: of the unchanged prompts by the price model, and of the sent prompts by the provider's report. */
interface ComparedInput {
  directUsd: number;
  reportedUsd: number;
}

/**
 * Returns the share saved compared with held-out sessions, according to the provider's reports. Undefined if either
 * group has no cost.
 */
export function measuredSaving({ compared }: Pick<ProxyStats, "compared">): number | undefined {
  const { heldOut, planned } = compared;
  if (heldOut.reportedUsd === 0 || planned.directUsd === 0) return undefined;
  return 1 - (planned.reportedUsd / planned.directUsd) * (heldOut.directUsd / heldOut.reportedUsd);
}

/** Creates the statistics for a newly started proxy. */
export function newStats(): ProxyStats {
  return {
    requests: 0,
    changed: 0,
    passed: {},
    upstreamErrors: 0,
    clientsGone: 0,
    directUsd: 0,
    usd: 0,
    plannedUsd: 0,
    reported: { total: 0, cached: 0, written: 0 },
    unreported: 0,
    unpriced: 0,
    withoutWayBack: 0,
    compared: {
      heldOut: { directUsd: 0, reportedUsd: 0 },
      planned: { directUsd: 0, reportedUsd: 0 },
    },
  };
}

/** Counts the outcome of a plan. */
export function countPlan(stats: ProxyStats, plan: GatewayPlan): void {
  if (plan.edits.length > 0) stats.changed += 1;
  if (plan.reason !== undefined) countPass(stats, plan.reason);
  if (plan.isWithoutWayBack === true) stats.withoutWayBack += 1;
  const { usdPerMillion, isKnown } = cachePriceOf(plan.model);
  if (!isKnown && plan.directPrice > 0) stats.unpriced += 1;
  const usd = usdPerMillion / 1e6;
  stats.directUsd += plan.directPrice * usd;
  stats.plannedUsd += plan.price * usd;
  const isLeftAlone = plan.reason === "audit" || plan.reason === "holdout";
  stats.usd += (isLeftAlone ? plan.directPrice : plan.price) * usd;
}

/** Counts the input tokens that the provider reported for a successful request. */
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
  const price = cachePriceOf(plan.model);
  const usd = price.usdPerMillion / 1e6;
  const group = stats.compared[plan.reason === "holdout" ? "heldOut" : "planned"];
  group.directUsd += plan.directPrice * usd;
  group.reportedUsd += reportedPrice(reported, price) * usd;
}

/** Counts a request that was sent unchanged. */
export function countPass(stats: ProxyStats, reason: keyof ProxyStats["passed"]): void {
  stats.passed[reason] = (stats.passed[reason] ?? 0) + 1;
}

/** Formats the statistics for Prometheus, including the memory of the process. */
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
    `ccl_requests_unpriced_total ${stats.unpriced}`,
    `ccl_requests_without_way_back_total ${stats.withoutWayBack}`,
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

/** Formats the statistics as a paragraph. */
export function summaryText(stats: ProxyStats): string {
  const { requests, changed, passed, directUsd, usd, plannedUsd, reported } = stats;
  const saving = (price: number): string =>
    `${(directUsd === 0 ? 0 : (1 - price / directUsd) * 100).toFixed(1)} %`;
  const reasons = Object.entries(passed)
    .map(([reason, count]) => ` ${count} passed unchanged: ${reason}.`)
    .join("");
  const input =
    passed.audit === undefined
      ? `input $${usd.toFixed(4)} instead of $${directUsd.toFixed(4)} at list prices, including the cache (${saving(usd)} less)`
      : `input $${directUsd.toFixed(4)} at list prices, including the cache; full would have cost $${plannedUsd.toFixed(4)} (${saving(plannedUsd)} less)`;
  const cached =
    reported.total === 0
      ? ""
      : ` The provider reported ${reported.cached} of ${reported.total} input tokens as cached.`;
  const exclusions = [
    [stats.unreported, "answer", "without readable usage, missing from the provider's figures"],
    [stats.unpriced, "request", "for a model without a known price, missing from the cost"],
    [stats.withoutWayBack, "request", "without a tool to get omitted content, handled as in safe"],
  ] as const;
  const excluded = exclusions
    .map(([count, noun, what]) => (count === 0 ? "" : ` ${formatCount(count, noun)} ${what}.`))
    .join("");
  const measured = measuredSaving(stats);
  const comparison =
    measured === undefined
      ? ""
      : ` Compared with held-out sessions, by the provider's reports: ${(measured * 100).toFixed(1)} % less.`;
  return `${formatCount(requests, "request")}, ${changed} with shorter results: ${input}.${cached}${excluded}${comparison}${reasons}\n`;
}
