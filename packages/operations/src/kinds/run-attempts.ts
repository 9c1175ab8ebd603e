import { systemClock, type Clock } from "@ccl/core";
import { backoffDelay, sleep, withTimeout } from "@ccl/core/async";
import { z } from "zod";

import type { OperationContext } from "../operation/operation-context.ts";
import type { OperationErrorCode } from "../operation/operation-outcome.ts";
import { OperationError } from "./operation-error.ts";
import { operationErrorOf } from "./operation-error-of.ts";

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

/** Time, chance and waiting. */
export interface AttemptServices {
  clock: Clock;
  /** From 0 to below 1. */
  random: () => number;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Limits of the attempts. */
export interface AttemptOptions {
  /** Of each attempt. */
  timeoutMs?: number | undefined;
  retry?: RetryParams | undefined;
  /** The code of a failure that has none; default `internal_error`. */
  otherwise?: OperationErrorCode | undefined;
  /** Default those of the machine. */
  services?: AttemptServices | undefined;
  /** Called before each attempt with its number, from 1. */
  onAttempt?: ((attempt: number) => void) | undefined;
}

const defaultBackoffMs = 500;
const maxBackoffMs = 60_000;
const machine: AttemptServices = { clock: systemClock, random: Math.random, sleep };
const defaultCauses: readonly RetryCause[] = ["timeout", "provider_error", "rate_limit"];

/**
 * Runs `attempt` until it succeeds, fails for good, or may not be tried again: never after an abort, never where the
 * wait would reach the deadline. Throws the last failure.
 */
export async function runAttempts<Value>(
  context: OperationContext,
  attempt: (signal: AbortSignal) => Promise<Value>,
  { timeoutMs, retry, services = machine, otherwise, onAttempt }: AttemptOptions,
): Promise<Value> {
  const { signal, deadlineAt } = context;
  const onTimeout = (): Error =>
    new OperationError("timeout", `The attempt took longer than ${timeoutMs} ms.`);
  const { maxAttempts = 1, backoffMs = defaultBackoffMs, retryOn = defaultCauses } = retry ?? {};
  for (let number = 1; ; number += 1) {
    onAttempt?.(number);
    try {
      return await withTimeout(attempt, { signal, timeoutMs, onTimeout });
    } catch (error) {
      signal.throwIfAborted();
      const failure = operationErrorOf(error, otherwise);
      const delayMs = delayAfter(failure, { number, backoffMs, random: services.random });
      const isLate = deadlineAt !== undefined && services.clock.now() + delayMs >= deadlineAt;
      if (number >= maxAttempts || isLate || !isRetried(failure, retryOn)) throw failure;
      context.onRetry?.({ code: failure.code, message: failure.message });
      if (delayMs > 0) await services.sleep(delayMs, signal);
      signal.throwIfAborted();
    }
  }
}

function isRetried({ code, options }: OperationError, retryOn: readonly RetryCause[]): boolean {
  const cause = code === "rate_limited" ? "rate_limit" : code;
  return options.isTransient !== false && retryOn.some((listed) => listed === cause);
}

/** Never less than what the provider asked for. */
function delayAfter(
  { options }: OperationError,
  { number, backoffMs, random }: { number: number; backoffMs: number; random: () => number },
): number {
  const delayMs = backoffDelay(number - 1, { firstMs: backoffMs, maxMs: maxBackoffMs, random });
  return Math.max(delayMs, options.retryAfterMs ?? 0);
}
