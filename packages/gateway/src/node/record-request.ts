import { randomHex } from "@ccl/core/hash";
import type { ContextRecord } from "@ccl/core/tracing";

import type { GatewayPlan } from "../gateway/create-gateway.ts";
import type { ReportedInput } from "../history/read-request.ts";
import { cachePriceOf } from "../price/cache-price.ts";

/** A request that has been answered, or never will be. */
export interface ProxiedRequest {
  plan: GatewayPlan;
  /** Milliseconds since the epoch. */
  startedAtMs: number;
  durationMs: number;
  /** Status of the API's answer. Absent if there was no answer. */
  status?: number | undefined;
  /** Input tokens according to the provider. Absent if the report is missing or unreadable. */
  reported?: ReportedInput | undefined;
}

/** Creates the record of a request: what was sent, and what it cost. */
export function recordRequest({
  plan: { session = "unknown", model, reason, price, directPrice, prompt },
  startedAtMs: timeMs,
  ...answered
}: ProxiedRequest): ContextRecord {
  const { items = [], shown } = prompt ?? {};
  // These reasons mean that changes were only computed, so the original was sent.
  const isAsItCame = reason === "audit" || reason === "holdout";
  const usd = cachePriceOf(model).usdPerMillion / 1e6;
  return {
    id: randomHex(8),
    session,
    source: "gateway",
    timeMs,
    model,
    reason,
    directUsd: directPrice * usd,
    usd: (reason === undefined ? price : directPrice) * usd,
    parts: items.map(({ item: { kind, tool, callId, text }, tokens, shownTokens }, at) => {
      const sent = isAsItCame ? undefined : shown?.get(at);
      return { kind, tool, callId, text, tokens, sent: sent && { ...sent, tokens: shownTokens } };
    }),
    ...answered,
  };
}
