import { LanguageModelError } from "@ccl/core";
import { createDeadline, type Deadline, retry, untilAborted } from "@ccl/core/async";
import { stringAt } from "@ccl/core/json";

import { connectionError, nameOf } from "./call-error.ts";
import type { Service } from "./service.ts";

/** Limits for a call, including its retries. */
export interface CallLimits {
  /** The provider and its address, to show in errors. */
  name: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  retries?: number | undefined;
  /** Converts a failure without an answer. Returns undefined if only the connection failed. */
  explain: (caught: unknown) => LanguageModelError | undefined;
}

/** Returns the limits that an endpoint's options set. */
export function serviceLimits(service: Service, path: string): CallLimits {
  const { timeoutMs, retries } = service.endpoint;
  const explain = (caught: unknown): LanguageModelError => connectionError(service, path, caught);
  return { name: nameOf(service, path), timeoutMs, retries, explain };
}

type Attempt<Result> = (signal: AbortSignal) => Result;

/**
 * Runs a call and retries it if it fails. Ends soon after an abort or the time limit, even if the attempt, the server
 * or the runtime does not react. For example, fetch in Node 20 and 22 can lose its signal to the garbage collector.
 * @throws LanguageModelError
 */
export async function runCall<Value>(
  limits: CallLimits,
  attempt: Attempt<Promise<Value>>,
): Promise<Value> {
  const deadline = startOf(limits);
  try {
    return await attempts(limits, deadline, () => attempt(deadline.signal));
  } catch (error) {
    throw explained(error, limits, deadline);
  } finally {
    deadline.close();
  }
}

/** Like `runCall`, but for streams. Retries a stream only until its first delta. */
export async function* streamCall<Delta>(
  limits: CallLimits,
  attempt: Attempt<AsyncGenerator<Delta>>,
): AsyncGenerator<Delta> {
  const deadline = startOf(limits);
  try {
    const opened = await attempts(limits, deadline, async () => {
      const deltas = attempt(deadline.signal);
      return { deltas, first: await deltas.next() };
    });
    for (let next = opened.first; next.done !== true;) {
      yield next.value;
      next = await untilAborted(opened.deltas.next(), deadline.signal);
    }
  } catch (error) {
    throw explained(error, limits, deadline);
  } finally {
    deadline.close();
  }
}

function startOf({ name, signal, timeoutMs }: CallLimits): Deadline {
  const onTimeout = (): LanguageModelError =>
    new LanguageModelError("timeout", `${name} took more than ${timeoutMs} ms.`);
  return createDeadline({ signal, timeoutMs, onTimeout });
}

function attempts<Value>(
  limits: CallLimits,
  { signal, remainingMs }: Deadline,
  attempt: () => Promise<Value>,
): Promise<Value> {
  const run = async (): Promise<Value> => {
    signal.throwIfAborted();
    try {
      return await untilAborted(attempt(), signal);
    } catch (error) {
      throw signal.aborted ? error : toModelError(error, limits);
    }
  };
  return retry(run, { retries: limits.retries, signal, remainingMs, waitFor });
}

/** Replaces errors caused by an abort or the time limit with the cause. */
function explained(caught: unknown, limits: CallLimits, { signal }: Deadline): LanguageModelError {
  if (!signal.aborted) return toModelError(caught, limits);
  const { reason: cause } = signal;
  return limits.signal?.aborted !== true && LanguageModelError.isInstance(cause)
    ? cause
    : new LanguageModelError("aborted", "The call was aborted.", { cause });
}

function toModelError(caught: unknown, { name, explain }: CallLimits): LanguageModelError {
  if (LanguageModelError.isInstance(caught)) return caught;
  return (
    explain(caught) ??
    new LanguageModelError("network_error", `The connection to ${name} failed.`, { cause: caught })
  );
}

const passingTypes = new Set(["overloaded_error", "api_error", "server_error"]);

/** Decides when to retry after a failure, like the official clients. Never retries if a quota is used up. */
function waitFor(error: unknown): number | "backoff" | undefined {
  if (!LanguageModelError.isInstance(error)) return undefined;
  const { code, status = 0, details, retryAfterMs } = error;
  const type = stringAt(details, "type") ?? "";
  const mayRetry = stringAt(details, "mayRetry");
  const mayPass =
    mayRetry === "true" ||
    code === "network_error" ||
    (code === "rate_limited" && stringAt(details, "code") !== "insufficient_quota") ||
    (code === "provider_error" && (status >= 500 || passingTypes.has(type))) ||
    status === 408 ||
    status === 409;
  return mayPass && mayRetry !== "false" ? (retryAfterMs ?? "backoff") : undefined;
}
