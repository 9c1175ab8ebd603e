import type { DbosWorkflows } from "./dbos-sdk.ts";
import type { RemoteAttempt } from "./remote-attempt.ts";
import type { AttemptSlot } from "./attempt-queue.ts";

/**
 * What the workflow of an operation does: each attempt that the engine hands over is a step; how the operation ended is
 * its result. Steps follow each other in the order of the attempts, which is that of any later execution.
 */
export async function executeOperation(
  dbos: Pick<DbosWorkflows, "runStep">,
  slot: AttemptSlot,
): Promise<string> {
  const attempts = new Map<RemoteAttempt, Promise<void>>();
  try {
    for (;;) {
      const call = await slot.next();
      if (typeof call !== "string") {
        attempts.set(call, executeAttempt(dbos, call));
        continue;
      }
      // A handler that the engine has detached is not awaited.
      await Promise.all(
        [...attempts].map(async ([{ hasEnded }, recorded]) => (hasEnded ? recorded : undefined)),
      );
      return call;
    }
  } finally {
    slot.leave();
  }
}

/** The engine's attempt comes to its end in any case, whatever DBOS says of the step. */
async function executeAttempt(
  dbos: Pick<DbosWorkflows, "runStep">,
  attempt: RemoteAttempt,
): Promise<void> {
  try {
    // A step that is recorded is that of an attempt before a crash, and is passed over.
    while (!attempt.hasBegun) await dbos.runStep(attempt.begin, { name: "attempt" });
  } catch {
    // DBOS is closed, or has cancelled the workflow or given it to another process.
    await attempt.begin();
  }
}
