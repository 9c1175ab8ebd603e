import { recordAt } from "@ccl/core/json";

import { nextDelay, type RetryChances } from "../kinds/retry.ts";
import type { CheckedOutcome } from "./check-outcome.ts";
import type { PlannedOperation } from "./plan-run.ts";
import type { Attempt } from "./run-context.ts";

// Handlers of these kinds apply retries and timeouts themselves.
const ownKinds: ReadonlySet<string> = new Set(["llm", "rag", "tool"]);

/** True if the engine leaves `params.retry` and `params.timeoutMs` to the handler. */
function ownsRetries({ definition }: PlannedOperation): boolean {
  return ownKinds.has(definition.kind);
}

/** The time limit of an attempt in milliseconds. Undefined if there is none, or if the handler applies its own. */
export function timeoutOf(operation: PlannedOperation): number | undefined {
  const { timeoutMs } = operation.config.params;
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0) || ownsRetries(operation)) return undefined;
  return timeoutMs;
}

/** How long to wait before the next attempt. Undefined if there is none. */
export function nextAttemptDelay(
  { status, error }: CheckedOutcome,
  { run, record }: Pick<Attempt, "run" | "record">,
): number | undefined {
  const { operation, attempts: number } = record;
  if (status !== "error" || error === undefined || ownsRetries(operation)) return undefined;
  const { random, clock } = run.services;
  const chances = { random, nowMs: clock.now(), deadlineAt: run.input.deadlineMs };
  return nextDelay({ number, code: error.code }, { ...settingsOf(operation), ...chances });
}

/** The usable part of `params.retry`. Handlers of the application may have any parameters. */
function settingsOf({ config }: PlannedOperation): Partial<RetryChances> {
  const { maxAttempts, backoffMs, retryOn } = recordAt(config.params, "retry");
  return {
    maxAttempts: typeof maxAttempts === "number" ? Math.min(10, maxAttempts) : undefined,
    backoffMs: typeof backoffMs === "number" && backoffMs >= 0 ? backoffMs : undefined,
    retryOn: Array.isArray(retryOn) ? retryOn.map(String) : undefined,
  };
}
