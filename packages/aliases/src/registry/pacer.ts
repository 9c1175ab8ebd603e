import { setImmediate as nextTurn } from "node:timers/promises";

import { throwIfAborted } from "@ccl/core/async";

import { AliasesError } from "../aliases-error.ts";

/** Lets other work, aborts and progress events happen during a synchronous loop. */
export interface Pacer {
  /**
   * Must be called often. Returns undefined unless it is time to yield. Reports `done` and `total`
   * as progress.
   */
  step(done: number, total?: number): Promise<void> | undefined;
}

/** The signal and the progress callback of a pacer. */
interface PacerOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number | undefined) => void) | undefined;
}

const TURN_MS = 15;
const REPORT_MS = 100;

/**
 * Creates a pacer that yields about 60 times a second and reports up to 10 times a second.
 * @throws AliasesError `aborted`
 */
export function createPacer({ signal, onProgress }: PacerOptions): Pacer {
  throwIfAborted(signal, AliasesError);
  let lastTurnMs = performance.now();
  let lastReportMs = lastTurnMs;

  async function giveWay(): Promise<void> {
    await nextTurn();
    lastTurnMs = performance.now();
    throwIfAborted(signal, AliasesError);
  }

  return {
    step(done, total) {
      const nowMs = performance.now();
      if (nowMs - lastTurnMs < TURN_MS) return undefined;
      if (nowMs - lastReportMs >= REPORT_MS) {
        lastReportMs = nowMs;
        onProgress?.(done, total);
      }
      return giveWay();
    },
  };
}
