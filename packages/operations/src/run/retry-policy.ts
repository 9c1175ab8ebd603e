import { backoffDelay } from "@ccl/core/async";

import type { OperationErrorCode } from "../operation/operation-outcome.ts";
import type { CheckedOutcome } from "./check-outcome.ts";
import type { PlannedOperation } from "./plan-run.ts";
import type { OperationRecord, RunContext } from "./run-context.ts";

/** `params.retry`, as far as it can be used. */
interface RetrySettings {
  maxAttempts: number;
  backoffMs: number;
  retryOn: readonly string[];
}

// Their handlers see to retries and timeouts by themselves.
const ownKinds: ReadonlySet<string> = new Set(["llm", "rag", "tool"]);
const defaultRetryOn: readonly string[] = ["timeout", "provider_error", "rate_limit"];
const defaultBackoffMs = 500;
const maxBackoffMs = 60_000;

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

/**
 * How long to wait for the next attempt, undefined where there is none, and never up to the deadline.
 */
export function nextAttemptDelay(
  { status, error }: CheckedOutcome,
  {
    run,
    operation,
    record,
  }: { run: RunContext; operation: PlannedOperation; record: OperationRecord },
): number | undefined {
  if (status !== "error" || error === undefined || ownsRetries(operation)) return undefined;
  const { maxAttempts, backoffMs, retryOn } = settingsOf(operation);
  if (record.attempts >= maxAttempts || !retryOn.includes(causeOf(error.code))) return undefined;
  const { random } = run.services;
  const bounds = { firstMs: backoffMs, maxMs: maxBackoffMs, random };
  const delayMs = backoffDelay(record.attempts - 1, bounds);
  const { deadlineMs } = run.input;
  return deadlineMs !== undefined && run.services.clock.now() + delayMs >= deadlineMs
    ? undefined
    : delayMs;
}

const causeOf = (code: OperationErrorCode): string =>
  code === "rate_limited" ? "rate_limit" : code;

function settingsOf({ config }: PlannedOperation): RetrySettings {
  const { retry } = config.params;
  const read = (key: string): unknown =>
    typeof retry === "object" && retry !== null ? Reflect.get(retry, key) : undefined;
  const [maxAttempts, backoffMs, retryOn] = [
    read("maxAttempts"),
    read("backoffMs"),
    read("retryOn"),
  ];
  return {
    maxAttempts: typeof maxAttempts === "number" ? Math.min(10, maxAttempts) : 1,
    backoffMs: typeof backoffMs === "number" && backoffMs >= 0 ? backoffMs : defaultBackoffMs,
    retryOn: Array.isArray(retryOn) ? retryOn.map(String) : defaultRetryOn,
  };
}
