import { setImmediate as nextTurn } from "node:timers/promises";

/** How long blocking calls may run before yielding to timers, signals and other callers. */
const TURN_MS = 8;

let turnBeganMs = 0;

/** Yields to the event loop if blocking calls have exceeded their time slice. */
export async function takeTurn(): Promise<void> {
  if (performance.now() - turnBeganMs < TURN_MS) return;
  await nextTurn();
  turnBeganMs = performance.now();
}
