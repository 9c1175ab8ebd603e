import type { GatewayPlan, PassReason } from "../gateway/create-gateway.ts";
import type { ReportedInput } from "../history/read-request.ts";
import { cachePriceOf, reportedPrice } from "../price/cache-price.ts";

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
  /** Requests for models whose price is not known; no money is counted for them. */
  unpriced: number;
  /** Requests in `full` whose tools have no way back to what is left out; they were handled as in `safe`. */
  withoutWayBack: number;
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
    unpriced: 0,
    withoutWayBack: 0,
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
  if (plan.isWithoutWayBack === true) stats.withoutWayBack += 1;
  const { usdPerMillion, isKnown } = cachePriceOf(plan.model);
  if (!isKnown && plan.directPrice > 0) stats.unpriced += 1;
  const usd = usdPerMillion / 1e6;
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
  const price = cachePriceOf(plan.model);
  const usd = price.usdPerMillion / 1e6;
  const group = stats.compared[plan.reason === "holdout" ? "heldOut" : "planned"];
  group.directUsd += plan.directPrice * usd;
  group.reportedUsd += reportedPrice(reported, price) * usd;
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

/** What it did, as a paragraph. */
export function summaryText(stats: ProxyStats): string {
  const { requests, changed, passed, directUsd, usd, plannedUsd, reported } = stats;
  const less = (price: number): string =>
    `${(directUsd === 0 ? 0 : (1 - price / directUsd) * 100).toFixed(1)} %`;
  const reasons = Object.entries(passed)
    .map(([reason, count]) => ` ${count} passed unchanged: ${reason}.`)
    .join("");
  const input =
    passed.audit === undefined
      ? `input $${usd.toFixed(4)} instead of $${directUsd.toFixed(4)} by list prices, cache counted (${less(usd)} less)`
      : `input $${directUsd.toFixed(4)} by list prices, cache counted; full would have made it $${plannedUsd.toFixed(4)} (${less(plannedUsd)} less)`;
  const said =
    reported.total === 0
      ? ""
      : ` The provider reported ${reported.cached} of ${reported.total} input tokens as cached.`;
  const apart = [
    [
      stats.unreported,
      "answer",
      "without input that could be read, not in what the provider reported",
    ],
    [stats.unpriced, "request", "for a model of unknown price, not in the money"],
    [stats.withoutWayBack, "request", "without a tool to get what is left out, handled as in safe"],
  ] as const;
  const counted = apart
    .map(([count, noun, what]) => (count === 0 ? "" : ` ${countOf(count, noun)} ${what}.`))
    .join("");
  const measured = measuredSaving(stats);
  const beside =
    measured === undefined
      ? ""
      : ` Beside the sessions held out, by what the provider reported: ${(measured * 100).toFixed(1)} % less.`;
  return `${countOf(requests, "request")}, ${changed} with shorter results: ${input}.${said}${counted}${beside}${reasons}\n`;
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
