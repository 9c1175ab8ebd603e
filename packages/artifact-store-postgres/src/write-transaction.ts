import { SqlError, transaction, type PostgresClient, type PostgresSession } from "@ccl/sql";

const maxAttempts = 5;
// https://www.postgresql.org/docs/15/errcodes-appendix.html: serialization_failure and deadlock_detected.
const passingCodes = new Set<unknown>(["40001", "40P01"]);

/** Runs a transaction again if the server aborted it in favour of another one. `action` may run several times. */
export async function writeTransaction<T>(
  client: PostgresClient,
  action: (on: PostgresSession) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction(client, action, { signal });
    } catch (error) {
      if (attempt === maxAttempts || !wasGivenUp(error)) throw error;
    }
  }
}

function wasGivenUp(error: unknown): boolean {
  if (!SqlError.isInstance(error) || !(error.cause instanceof Error)) return false;
  return "code" in error.cause && passingCodes.has(error.cause.code);
}
