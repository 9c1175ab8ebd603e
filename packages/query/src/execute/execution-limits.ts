import { createDeadline } from "@ccl/core/async";
import { batchBytes, type ColumnBatch } from "../connector/column-batch.ts";
import { QueryError } from "../query-error.ts";

/** Bounds of one source, or of a whole query. */
export interface TrafficLimits {
  rows?: number | undefined;
  /** As `batchBytes` counts them. */
  bytes?: number | undefined;
  timeoutMs?: number | undefined;
}

/** What a query may take where its caller says nothing; `Infinity` lifts a bound. */
const defaultLimits = {
  rows: 100_000,
  bytes: 256 * 1024 * 1024,
  timeoutMs: 30_000,
  eachSource: { rows: 5_000_000, bytes: 1024 * 1024 * 1024 },
};

/** The bounds that hold: the caller's, else the defaults. */
export function limitsOf(limits: ExecutionLimits | undefined): {
  rows: number;
  bytes: number;
  timeoutMs: number;
  eachSource: TrafficLimits;
} {
  const { rows, bytes, timeoutMs, eachSource } = defaultLimits;
  return {
    rows: limits?.rows ?? rows,
    bytes: limits?.bytes ?? bytes,
    timeoutMs: limits?.timeoutMs ?? timeoutMs,
    eachSource: {
      rows: limits?.eachSource?.rows ?? eachSource.rows,
      bytes: limits?.eachSource?.bytes ?? eachSource.bytes,
      timeoutMs: limits?.eachSource?.timeoutMs,
    },
  };
}

/**
 * Bounds of an execution: of the rows it gives (100,000 by default, 256 MiB) and the time it takes (30 s), and of what each
 * source may send (5,000,000 rows, 1 GiB).
 */
export interface ExecutionLimits extends TrafficLimits {
  eachSource?: TrafficLimits | undefined;
}

/** What went through. */
export interface Traffic {
  rows: number;
  bytes: number;
  batches: number;
}

/** Others have their turn of the event loop this often, also where a source answers within one turn. */
const turnMs = 15;

/** Counts batches and ends the query with `limit_exceeded` beyond a limit. The batch that goes beyond is not passed on. */
export async function* metered(
  batches: AsyncIterable<ColumnBatch>,
  { traffic, limits, what }: { traffic: Traffic; limits: TrafficLimits; what: string },
): AsyncGenerator<ColumnBatch, void> {
  let turnedAtMs = performance.now();
  for await (const batch of batches) {
    if (performance.now() - turnedAtMs > turnMs) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      turnedAtMs = performance.now();
    }
    traffic.rows += batch.rowCount;
    traffic.bytes += batchBytes(batch);
    traffic.batches += 1;
    for (const limit of ["rows", "bytes"] as const) {
      const bound = limits[limit];
      if (bound === undefined || traffic[limit] <= bound) continue;
      const message = `${what} gave more than ${bound} ${limit}; filter, aggregate or limit earlier.`;
      const details = { limit, max: bound, of: what };
      throw new QueryError("limit_exceeded", message, { details });
    }
    yield batch;
  }
}

/** A signal that ends with the caller's or with the time, and how to tell which. */
export interface Deadline {
  signal: AbortSignal;
  /** Frees the timer, and aborts what is still open. */
  end(): void;
  /** The error of a call that the signal ended; undefined where it did not. */
  failure(): QueryError | undefined;
}

/** Starts the clock of a part of a query. */
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
