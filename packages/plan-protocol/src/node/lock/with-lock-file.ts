import { NodeIoError, withFileLock } from "@ccl/core/node";

import { assertNotAborted, PlanProtocolError } from "../../plan-protocol-error.ts";

/** How long to wait for another process. */
const WAIT_MS = 10_000;

/** Age at which a lock from another machine or container counts as abandoned. No apply takes that long. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Acquires core's file lock, with this package's errors. Messages call the file `name`. System errors are rethrown as
 * is.
 * @throws PlanProtocolError `workspace_busy` if another process does not finish in time, `aborted`
 */
export async function withLockFile<Value>(
  path: string,
  { name = path, signal }: { name?: string | undefined; signal: AbortSignal | undefined },
  work: () => Promise<Value>,
): Promise<Value> {
  const options = { waitMs: WAIT_MS, signal, abandonedAfterMs: ABANDONED_AFTER_MS };
  try {
    return await withFileLock(path, options, work);
  } catch (error) {
    if (!NodeIoError.isInstance(error)) throw error;
    assertNotAborted(signal);
    if (error.code !== "locked") throw error.cause ?? error;
    const message =
      `Another process holds the lock "${name}" and did not release it within ${WAIT_MS} ms. ` +
      "If no process on any machine is using it, remove that file.";
    throw new PlanProtocolError("workspace_busy", message, { cause: error });
  }
}
