import { createDeadline } from "@ccl/core/async";
import { batchBytes, type ColumnBatch } from "../connector/column-batch.ts";
import { QueryError } from "../query-error.ts";

/** Limits for one source or a whole query. */
export interface TrafficLimits {
  rows?: number | undefined;
  /** Bytes as counted by `batchBytes`. */
  bytes?: number | undefined;
  timeoutMs?: number | undefined;
}

/** Returns the caller's limits with defaults filled in. `Infinity` removes a limit. */
export function limitsOf({
  rows = 100_000,
  bytes = 256 * mebibyte,
  timeoutMs = 30_000,
  eachSource,
}: ExecutionLimits = {}): {
  rows: number;
  bytes: number;
  timeoutMs: number;
  eachSource: TrafficLimits;
} {
  const { rows: sourceRows = 5_000_000, bytes: sourceBytes = 1024 * mebibyte } = eachSource ?? {};
  const limits = { ...eachSource, rows: sourceRows, bytes: sourceBytes };
  return { rows, bytes, timeoutMs, eachSource: limits };
}

const mebibyte = 1024 * 1024;

/**
 * Limits of an execution. Defaults to 100,000 rows, 256 MiB and 30 s for the result, and 5,000,000 rows and 1 GiB
 * for each source.
 */
export interface ExecutionLimits extends TrafficLimits {
  eachSource?: TrafficLimits | undefined;
}

/** Rows and bytes read so far. */
export interface Traffic {
  rows: number;
  bytes: number;
}

/** Interval at which the event loop gets a turn, even if a source never yields. */
const turnMs = 15;

/** Counts rows and bytes, and throws `limit_exceeded` above a limit. Does not pass on the batch that exceeds it. */
export async function* metered(
  batches: AsyncIterable<ColumnBatch>,
  {
    traffic,
    limits,
    what,
    advice = "filter, aggregate or limit earlier",
  }: { traffic: Traffic; limits: TrafficLimits; what: string; advice?: string | undefined },
): AsyncGenerator<ColumnBatch, void> {
  let turnedAtMs = performance.now();
  for await (const batch of batches) {
    if (performance.now() - turnedAtMs > turnMs) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      turnedAtMs = performance.now();
    }
    traffic.rows += batch.rowCount;
    traffic.bytes += batchBytes(batch);
    for (const limit of ["rows", "bytes"] as const) {
      const bound = limits[limit];
      if (bound === undefined || traffic[limit] <= bound) continue;
      const message = `${what} returned more than ${bound} ${limit}; ${advice}.`;
      const details = { limit, max: bound, of: what };
      throw new QueryError("limit_exceeded", message, { details });
    }
    yield batch;
  }
}

/** A signal that aborts with the caller's signal or at the time limit, and the reason it aborted. */
export interface Deadline {
  signal: AbortSignal;
  /** Clears the timer and aborts what is still open. */
  end(): void;
  /** Returns the error for a call that the signal ended, or undefined if it did not. */
  failure(): QueryError | undefined;
}

/** Starts the time limit for part of a query. */
export function startDeadline(
  signal: AbortSignal | undefined,
  { timeoutMs, what }: { timeoutMs: number | undefined; what: string },
): Deadline {
  const late = new QueryError("limit_exceeded", `${what} took longer than ${timeoutMs} ms.`, {
    details: { limit: "timeoutMs", max: timeoutMs, of: what },
  });
  const deadline = createDeadline({ timeoutMs, signal, onTimeout: () => late });
  return {
    signal: deadline.signal,
    end: () => deadline.close(),
    failure() {
      if (signal?.aborted === true)
        return new QueryError("aborted", "The query was aborted.", { cause: signal.reason });
      return deadline.signal.reason === late ? late : undefined;
    },
  };
}
