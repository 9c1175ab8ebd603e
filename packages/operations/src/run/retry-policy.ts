import { recordAt } from "@ccl/core/json";

import { nextDelay, type RetryChances } from "../kinds/retry.ts";
import type { CheckedOutcome } from "./check-outcome.ts";
import type { PlannedOperation } from "./plan-run.ts";
import type { Attempt } from "./run-context.ts";

// Their handlers see to retries and timeouts by themselves.
const ownKinds: ReadonlySet<string> = new Set(["llm", "rag", "tool"]);

/** True where the engine leaves `params.retry` and `params.timeoutMs` to the handler. */
function ownsRetries({ definition }: PlannedOperation): boolean {
  return definition.ownsRetries ?? ownKinds.has(definition.kind);
}

/** The time that an attempt has, in milliseconds; undefined for one without a limit, or with one of its own. */
export function timeoutOf(operation: PlannedOperation): number | undefined {
  const { timeoutMs } = operation.config.params;
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0) || ownsRetries(operation)) return undefined;
  return timeoutMs;
}

/** How long to wait for the next attempt, undefined where there is none. */
export function nextAttemptDelay(
  { status, error }: CheckedOutcome,
  { run, operation, record }: Pick<Attempt, "run" | "operation" | "record">,
): number | undefined {
  if (status !== "error" || error === undefined || ownsRetries(operation)) return undefined;
  const { random, clock } = run.services;
  const chances = { random, nowMs: clock.now(), deadlineAt: run.input.deadlineMs };
  const failed = { number: record.attempts, code: error.code };
  return nextDelay(failed, { ...settingsOf(operation), ...chances });
}

/** `params.retry`, as far as it can be used: handlers of the application's own have any parameters. */
function settingsOf({ config }: PlannedOperation): Partial<RetryChances> {
  const { maxAttempts, backoffMs, retryOn } = recordAt(config.params, "retry");
  return {
    maxAttempts: typeof maxAttempts === "number" ? Math.min(10, maxAttempts) : undefined,
    backoffMs: typeof backoffMs === "number" && backoffMs >= 0 ? backoffMs : undefined,
    retryOn: Array.isArray(retryOn) ? retryOn.map(String) : undefined,
  };
}
