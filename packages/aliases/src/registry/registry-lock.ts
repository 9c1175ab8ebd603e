import { throwIfAborted } from "@ccl/core/async";
import { NodeIoError, withFileLock, type FileLockOptions } from "@ccl/core/node";

import { AliasesError } from "../aliases-error.ts";
import { toIoError } from "./io-error.ts";

/** Maximum time to wait for another writer. */
const MAX_WAIT_MS = 5000;

/**
 * Runs `work` while no other process holds the lock file at `path`.
 * @throws AliasesError `registry_locked` after the maximum wait, `aborted`, `io_failed`
 */
export async function withRegistryLock<T>(
  path: string,
  options: FileLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await withFileLock(path, { waitMs: MAX_WAIT_MS, ...options }, work);
  } catch (error) {
    if (!NodeIoError.isInstance(error)) throw error;
    throwIfAborted(options.signal, AliasesError);
    if (error.code !== "locked") throw toIoError(error, `lock ${path}`);
    throw new AliasesError("registry_locked", error.message, { cause: error });
  }
}
