import { backoffDelay } from "@ccl/core/async";
import { z } from "zod";
import type { OperationErrorCode } from "../operation/operation-failure.ts";

/** The failures after which an operation retries. `rate_limit` is the code `rate_limited`. */
type RetryCause = "timeout" | "provider_error" | "rate_limit" | "output_parse_error";

/** How often and when an operation retries. */
export interface RetryParams {
  /** All attempts together, including the first: from 1 to 10. */
  maxAttempts: number;
  /**
   * The longest wait before the second attempt, in milliseconds. It doubles before each later one. Each wait is drawn
   * from 0 to that limit. 500 by default.
   */
  backoffMs?: number | undefined;
  /** `timeout`, `provider_error` and `rate_limit` by default. */
  retryOn?: RetryCause[] | undefined;
}

/** Validates `retry`. */
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
  /** Counts from 1. */
  number: number;
  code: OperationErrorCode;
  /** False if another attempt cannot help. */
  isTransient?: boolean | undefined;
  /** How long the provider asks callers to wait. */
  retryAfterMs?: number | undefined;
}

/** What decides whether there is another attempt. */
export interface RetryChances {
  maxAttempts?: number | undefined;
  backoffMs?: number | undefined;
  retryOn?: readonly string[] | undefined;
  random: () => number;
  nowMs: number;
  deadlineAt: number | undefined;
}

/** How long to wait before the next attempt, always less than the deadline. Undefined if there is no next attempt. */
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
