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
  /** Of the API's answer; absent where none came. */
  status?: number | undefined;
  /** Input tokens as the provider reported them; absent where it said nothing that could be read. */
  reported?: ReportedInput | undefined;
}

/** What was sent for a request, and what it cost. */
export function recordRequest({
  plan: { session = "unknown", model, reason, price, directPrice, prompt },
  startedAtMs: timeMs,
  ...answered
}: ProxiedRequest): ContextRecord {
  const { items = [], shown } = prompt ?? {};
  // What a policy would have done is no part of what was sent.
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
