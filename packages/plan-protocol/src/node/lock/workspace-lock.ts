import { assertNotAborted, PlanProtocolError } from "../../plan-protocol-error.ts";
import { NodeIoError, withFileLock } from "@ccl/core/node";

import type { Folder } from "../file-system/folder.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";

/** The age from which a lock of another machine or container counts as abandoned. No apply takes that long. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/**
 * Runs a call while no other call, in any process, can change the workspace.
 * @throws PlanProtocolError `workspace_busy` if another process does not finish in time, `aborted`
 */
export async function withWorkspaceLock<Value>(
  parts: WorkspaceParts,
  signal: AbortSignal | undefined,
  call: (journals: Folder) => Promise<Value>,
): Promise<Value> {
  assertNotAborted(signal);
  const journals = await parts.openJournals();
  try {
    return await parts.withLock(journals, signal, () => call(journals));
  } finally {
    await journals.close();
  }
}

/** How to wait for a lock file. */
export interface LockFileOptions {
  /** The file's name in error messages. */
  name: string;
  waitMs: number;
  signal: AbortSignal | undefined;
}

/** Core's file lock with this package's errors. A system error is thrown unchanged. */
export async function withLockFile<Value>(
  path: string,
  { name, waitMs, signal }: LockFileOptions,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await withFileLock(path, { waitMs, signal, abandonedAfterMs }, work);
  } catch (error) {
    if (!NodeIoError.isInstance(error)) throw error;
    assertNotAborted(signal);
    if (error.code !== "locked") throw error.cause ?? error;
    const message =
      `Another process holds "${name}" and did not end within ${waitMs} ms. ` +
      "If none is at work, on no other machine either, remove that file.";
    throw new PlanProtocolError("workspace_busy", message, { cause: error });
  }
}
