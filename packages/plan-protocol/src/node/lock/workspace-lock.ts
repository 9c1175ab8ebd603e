import { assertNotAborted, PlanProtocolError } from "../../plan-protocol-error.ts";
import { NodeIoError, withFileLock } from "@ccl/core/node";

import type { Folder } from "../file-system/folder.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";

/** A lock of a process on another machine or in another container is left alone for as long as any apply may take. */
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/**
 * Runs a call while no other one, of any process, changes the same workspace.
 * @throws PlanProtocolError `workspace_busy` when another process does not end in time, `aborted`
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

/** How a lock file is waited for. */
export interface LockFileOptions {
  /** The file as messages name it. */
  name: string;
  waitMs: number;
  signal: AbortSignal | undefined;
}

/** Core's file lock with the errors of this package; a refusal of the system is thrown as it came. */
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
