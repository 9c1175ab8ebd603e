import { backoffDelay } from "@ccl/core/async";
import { z } from "zod";
import type { OperationErrorCode } from "../operation/operation-failure.ts";

/** The failures that an operation can retry. `rate_limit` is the code `rate_limited`. */
type RetryCause = "timeout" | "provider_error" | "rate_limit" | "output_parse_error";

/** How often and when an operation retries. */
export interface RetryParams {
  /** Total number of attempts, including the first: from 1 to 10. */
  maxAttempts: number;
  /**
   * Maximum delay before the second attempt, in milliseconds. Doubles before each later one. Each delay is random, from
   * 0 to that limit. Defaults to 500.
   */
  backoffMs?: number | undefined;
  /** Defaults to `timeout`, `provider_error` and `rate_limit`. */
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
  /** Delay that the provider requests. */
  retryAfterMs?: number | undefined;
}

/** Decides whether to try again. */
export interface RetryChances {
  maxAttempts?: number | undefined;
  backoffMs?: number | undefined;
  retryOn?: readonly string[] | undefined;
  random: () => number;
  nowMs: number;
  deadlineAt: number | undefined;
}

/** Returns the delay before the next attempt, always less than the deadline. Undefined if there is no next attempt. */
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
