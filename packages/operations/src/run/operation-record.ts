import type { ArtifactWrite } from "../artifact/operation-artifact.ts";
import { type OperationEffect, isArtifactEffect } from "../effects/operation-effect.ts";
import type { OperationHandler } from "../operation/operation-definition.ts";
import type { OperationStep } from "../ports/run-store.ts";
import type { ConcurrencyLimiter } from "./concurrency-limiter.ts";
import type { PlannedOperation } from "./plan-run.ts";

/** A planned operation during the run. */
export interface OperationRecord {
  readonly operation: PlannedOperation;
  readonly handler: OperationHandler | undefined;
  /** Attempts so far, including those before a crash. */
  attempts: number;
  startedAt?: number | undefined;
  /** How it ended. Absent until then. */
  end?: OperationStep | undefined;
  /** True if a dependency has effects, so that the operation's view differs from the start of the hook. */
  isStale: boolean;
  /** False if its commit failed, so that nothing from it reaches the prompt. */
  isCommitted: boolean;
  /** True while it counts towards the concurrency limit. */
  hasSlot: boolean;
  /** Cancels the wait for a slot. */
  cancelWait?: (() => void) | undefined;
}

/** Shared by all operations without effects. */
export const noEffects: readonly OperationEffect[] = Object.freeze([]);

/** Returns the effects of an operation. Empty unless it is `done`. */
export function effectsOf({ end }: OperationRecord): readonly OperationEffect[] {
  return end?.effects ?? noEffects;
}

/** Returns the only write among an operation's effects. */
export function writeOf(record: OperationRecord): ArtifactWrite | undefined {
  return effectsOf(record).find(isArtifactEffect);
}

/** Releases the slot that an operation holds, if any. */
export function releaseRecord(record: OperationRecord, limiter: ConcurrencyLimiter): void {
  if (record.hasSlot) limiter.release();
  record.hasSlot = false;
}
