import { setImmediate as nextTurn } from "node:timers/promises";

/** How long calls may block before timers, signals and other callers get their turn. */
const TURN_MS = 8;

let turnBeganMs = 0;

/** Lets others run where calls that block have followed each other for longer than a turn. */
export async function takeTurn(): Promise<void> {
  if (performance.now() - turnBeganMs < TURN_MS) return;
  await nextTurn();
  turnBeganMs = performance.now();
}
