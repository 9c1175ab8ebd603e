import type { Clock } from "@ccl/core";
import { z } from "zod";

import type { OperationContext } from "../operation/operation-context.ts";
import { faultOf, OperationFault } from "./operation-fault.ts";

/** After which failures an operation tries again. `rate_limit` is the code `rate_limited`. */
export type RetryCause = "timeout" | "provider_error" | "rate_limit" | "output_parse_error";

/** How often and when an operation tries again. */
export interface RetryParams {
  /** All in all, at most 10. */
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

/** Time, chance and waiting, as they are handed in. */
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
  services: AttemptServices;
  /** Called before each attempt with its number, from 1. */
  onAttempt?: ((attempt: number) => void) | undefined;
}

const defaultBackoffMs = 500;
const longestBackoffMs = 60_000;
const defaultCauses: readonly RetryCause[] = ["timeout", "provider_error", "rate_limit"];

/**
 * Runs `attempt` until it succeeds, fails for good, or may not be tried again: never after an abort, never where the
 * wait would reach the deadline. Throws the last fault.
 */
export async function runAttempts<Value>(
  context: OperationContext,
  attempt: (signal: AbortSignal) => Promise<Value>,
  { timeoutMs, retry, services, onAttempt }: AttemptOptions,
): Promise<Value> {
  const { maxAttempts = 1, backoffMs = defaultBackoffMs, retryOn = defaultCauses } = retry ?? {};
  for (let number = 1; ; number += 1) {
    onAttempt?.(number);
    try {
      return await withTimeout(attempt, { signal: context.signal, timeoutMs });
    } catch (error) {
      context.signal.throwIfAborted();
      const fault = faultOf(error);
      const delayMs = delayAfter(fault, { number, backoffMs, random: services.random });
      const isLate =
        context.deadlineMs !== undefined && services.clock.now() + delayMs >= context.deadlineMs;
      if (number >= maxAttempts || isLate || !isRetried(fault, retryOn)) throw fault;
      if (delayMs > 0) await services.sleep(delayMs, context.signal);
      context.signal.throwIfAborted();
    }
  }
}

function isRetried({ code, options }: OperationFault, retryOn: readonly RetryCause[]): boolean {
  const cause = code === "rate_limited" ? "rate_limit" : code;
  return options.isTransient !== false && retryOn.some((listed) => listed === cause);
}

/** Full jitter, after "Exponential Backoff And Jitter" of the AWS architecture blog; never less than what was asked for. */
function delayAfter(
  { options }: OperationFault,
  { number, backoffMs, random }: { number: number; backoffMs: number; random: () => number },
): number {
  const most = Math.min(longestBackoffMs, backoffMs * 2 ** (number - 1));
  return Math.max(Math.floor(random() * most), options.retryAfterMs ?? 0);
}

/** Runs something that may not heed its signal; what it gives or throws too late is dropped. */
async function withTimeout<Value>(
  run: (signal: AbortSignal) => Promise<Value>,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number | undefined },
): Promise<Value> {
  const controller = new AbortController();
  const combined = AbortSignal.any([signal, controller.signal]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: (() => void) | undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () =>
      reject(
        combined.reason instanceof Error ? combined.reason : new Error("The run was aborted."),
      );
    combined.addEventListener("abort", stop, { once: true });
    if (timeoutMs === undefined) return;
    const fault = new OperationFault("timeout", `The attempt took longer than ${timeoutMs} ms.`);
    timer = setTimeout(() => controller.abort(fault), timeoutMs);
  });
  const running = run(combined);
  running.catch(() => undefined);
  try {
    return await Promise.race([running, stopped]);
  } catch (error) {
    if (controller.signal.aborted && !signal.aborted) throw controller.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
    if (stop !== undefined) combined.removeEventListener("abort", stop);
  }
}

/** Waits; ends at once, and rejects, when the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error("The wait was aborted."));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
