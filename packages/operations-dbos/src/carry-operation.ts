import type { DbosWorkflows } from "./dbos-sdk.ts";
import type { HandedAttempt } from "./handed-attempt.ts";
import type { Seat } from "./rendezvous.ts";

/**
 * What the workflow of an operation does: each attempt that the engine hands over is a step; how the operation ended is
 * its result. Steps follow each other in the order of the attempts, which is that of any later execution.
 */
export async function carryOperation(
  dbos: Pick<DbosWorkflows, "runStep">,
  seat: Seat,
): Promise<string> {
  const attempts = new Map<HandedAttempt, Promise<void>>();
  try {
    for (;;) {
      const call = await seat.next();
      if (typeof call !== "string") {
        attempts.set(call, carryAttempt(dbos, call));
        continue;
      }
      // Nobody waits for a handler that the engine has left to itself.
      await Promise.all(
        [...attempts].map(async ([{ hasEnded }, recorded]) => (hasEnded ? recorded : undefined)),
      );
      return call;
    }
  } finally {
    seat.leave();
  }
}

/** The engine's attempt comes to its end in any case, whatever DBOS says of the step. */
async function carryAttempt(
  dbos: Pick<DbosWorkflows, "runStep">,
  attempt: HandedAttempt,
): Promise<void> {
  try {
    // A step that is recorded is that of an attempt before a crash, and is passed over.
    while (!attempt.hasBegun) await dbos.runStep(attempt.begin, { name: "attempt" });
  } catch {
    // DBOS is closed, or has cancelled the workflow or given it to another process.
    await attempt.begin();
  }
}
