import type { DbosWorkflows } from "./dbos-sdk.ts";
import type { RemoteAttempt } from "./remote-attempt.ts";
import type { AttemptSlot } from "./attempt-queue.ts";

/**
 * The workflow of an operation. Each attempt that the engine passes to it is a step, and the operation's final status
 * is its result. Steps follow the order of the attempts, which is the same in every later execution.
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

/** The engine's attempt ends in any case, whatever DBOS reports about the step. */
async function executeAttempt(
  dbos: Pick<DbosWorkflows, "runStep">,
  attempt: RemoteAttempt,
): Promise<void> {
  try {
    // A recorded step belongs to an attempt before a crash and is skipped.
    while (!attempt.hasBegun) await dbos.runStep(attempt.begin, { name: "attempt" });
  } catch {
    // DBOS is closed, has cancelled the workflow, or has moved it to another process.
    await attempt.begin();
  }
}
