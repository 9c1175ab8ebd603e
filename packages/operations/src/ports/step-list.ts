import { runStepKey, type RunStep } from "./run-step.ts";

/** Steps in the order in which they came; of one key the first stays. */
export interface StepList {
  readonly all: readonly RunStep[];
  add(step: RunStep): void;
}

/**
 * An empty list. Nearly every step is the only one of its operation, so that keys, which cost more than all else here,
 * are made from an operation's second step on.
 */
export function createStepList(): StepList {
  const all: RunStep[] = [];
  const first = new Map<string, RunStep>();
  const others = new Set<string>();
  return {
    all,
    add(step) {
      const name = step.kind === "operation" ? step.operationId : "";
      const before = first.get(name);
      if (before === undefined) first.set(name, step);
      else {
        const key = runStepKey(step);
        if (key === runStepKey(before) || others.has(key)) return;
        others.add(key);
      }
      all.push(step);
    },
  };
}
