import { retry } from "@ccl/core/async";
import { SqlError, transaction, type PostgresClient, type PostgresSession } from "@ccl/sql";

const maxRetries = 4;
// https://www.postgresql.org/docs/15/errcodes-appendix.html: serialization_failure and deadlock_detected.
const passingCodes = new Set<unknown>(["40001", "40P01"]);

/**
 * Runs a transaction, and repeats it if the server aborted it in favour of another one. `action` may run several times.
 */
export function writeTransaction<T>(
  client: PostgresClient,
  action: (on: PostgresSession) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  return retry(() => transaction(client, action, { signal }), {
    retries: maxRetries,
    waitFor: (error) => (wasGivenUp(error) ? 0 : undefined),
  });
}

function wasGivenUp(error: unknown): boolean {
  if (!SqlError.isInstance(error) || !(error.cause instanceof Error)) return false;
  return "code" in error.cause && passingCodes.has(error.cause.code);
}
