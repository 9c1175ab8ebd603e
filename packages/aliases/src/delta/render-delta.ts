import { estimatedCounter, type TokenCounter } from "@ccl/core";

import { cleanLine } from "../card/card-lines.ts";
import { renderHunks } from "./render-hunks.ts";
import type { AliasChange, Delta } from "./snapshot.ts";

/** Options of `renderDelta`. */
interface RenderDeltaOptions {
  /** Instruction to the model about the changes. */
  action?: string | undefined;
  /**
   * Maximum tokens of the whole prompt. Exceeded only if not even one line fits. Hunks use whatever
   * room is left.
   */
  budget?: number | undefined;
  /** Defaults to the estimator of @ccl/core, which leaves a tenth of `budget` free. */
  counter?: TokenCounter | undefined;
}

const ESTIMATE_SHARE = 0.9;

/**
 * Renders the prompt of an iteration: BASE, DELTA in words, HUNKS within the budget, and ACTION if
 * given. HUNKS is a unified diff with secrets masked. Applying it to the files as shown in the base
 * produces the current files. The text has no trailing newline.
 */
export function renderDelta(delta: Delta, options: RenderDeltaOptions = {}): string {
  const { budget, counter = estimatedCounter } = options;
  const action = options.action === undefined ? [] : [`ACTION: ${options.action}`];
  const lines = describeChanges(delta.changes);
  const head = [`BASE: ${delta.baseId}`, "DELTA:"];
  const described = lines.length > 0 ? lines : ["- no changes"];
  const prompt = (shown: string[], hunks: string[] = []): string =>
    [...head, ...shown, ...hunks, ...action].join("\n");
  if (budget === undefined) return prompt(described);
  const room = Math.floor(counter.isExact ? budget : budget * ESTIMATE_SHARE);
  const shown = fitLines(described, (lines) => counter.count(prompt(lines)) <= room);
  if (shown !== described) return prompt(shown);
  const left = room - counter.count(prompt(described));
  let hunks = renderHunks(delta, { room: left, counter });
  // Parts are counted separately, so the total may be off by a few tokens.
  for (let share = 0.9; hunks.length > 0; share -= 0.3) {
    if (counter.count(prompt(described, hunks)) <= room) break;
    hunks = share < 0.2 ? [] : renderHunks(delta, { room: left * share, counter });
  }
  return prompt(described, hunks);
}

/**
 * Returns all lines if they fit. Otherwise returns as many as fit, possibly none, and the number
 * omitted.
 */
export function fitLines(lines: string[], fits: (shown: string[]) => boolean): string[] {
  if (fits(lines)) return lines;
  const cut = (count: number): string[] => [
    ...lines.slice(0, count),
    `... +${lines.length - count} changes`,
  ];
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(cut(middle))) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** Describes each alias's change on its own line, starting with `- `. */
export function describeChanges(changes: readonly AliasChange[]): string[] {
  return changes.flatMap((change) =>
    linesOf(change).map((line) => `- ${cleanLine(change.alias)}: ${line}`),
  );
}

function linesOf(change: AliasChange): string[] {
  if (change.type === "changed") return change.notes;
  const path = change.type === "added" ? change.entry.path : change.path;
  return [`${change.type} (${cleanLine(path)})`];
}
