import { backoffDelay } from "@ccl/core/async";
import { z } from "zod";

import type { OperationErrorCode } from "../operation/operation-outcome.ts";

/** After which failures an operation tries again. `rate_limit` is the code `rate_limited`. */
type RetryCause = "timeout" | "provider_error" | "rate_limit" | "output_parse_error";

/** How often and when an operation tries again. */
export interface RetryParams {
  /** All attempts together, from 1 to 10. */
  maxAttempts: number;
  /** The longest wait before the second attempt, twice that before the third and so on; each wait is drawn from 0 to it. Default 500. */
  backoffMs?: number | undefined;
  /** Default `timeout`, `provider_error` and `rate_limit`. */
  retryOn?: RetryCause[] | undefined;
}

/** Checks `retry`. */
export const retrySchema: z.ZodType<RetryParams> = z.strictObject({
  maxAttempts: z.int().min(1).max(10),
  backoffMs: z.exactOptional(z.int().min(0).max(600_000)),
  retryOn: z.exactOptional(
    z.array(z.enum(["timeout", "provider_error", "rate_limit", "output_parse_error"])),
  ),
});

const defaultCauses: readonly string[] = ["timeout", "provider_error", "rate_limit"];
const maxBackoffMs = 60_000;

/** A failed attempt. */
export interface FailedAttempt {
  /** From 1. */
  number: number;
  code: OperationErrorCode;
  /** False where asking again cannot help. */
  isTransient?: boolean | undefined;
  /** How long the provider asks callers to wait. */
  retryAfterMs?: number | undefined;
}

/** What decides about another attempt. */
export interface RetryChances {
  maxAttempts?: number | undefined;
  backoffMs?: number | undefined;
  retryOn?: readonly string[] | undefined;
  random: () => number;
  nowMs: number;
  deadlineAt: number | undefined;
}

/** How long to wait for the next attempt: never up to the deadline. Undefined where there is none. */
export function nextDelay(
  { number, code, isTransient, retryAfterMs = 0 }: FailedAttempt,
  { maxAttempts = 1, backoffMs = 500, retryOn = defaultCauses, ...chances }: RetryChances,
): number | undefined {
  const cause = code === "rate_limited" ? "rate_limit" : code;
  if (number >= maxAttempts || isTransient === false || !retryOn.includes(cause)) return undefined;
  const { random, nowMs, deadlineAt = Infinity } = chances;
  const drawnMs = backoffDelay(number - 1, { firstMs: backoffMs, maxMs: maxBackoffMs, random });
  const delayMs = Math.max(drawnMs, retryAfterMs);
  return nowMs + delayMs >= deadlineAt ? undefined : delayMs;
}
