import type { TokenCounter } from "@ccl/core";

import { computeDelta } from "../delta/compute-delta.ts";
import { describeChanges, fitLines } from "../delta/render-delta.ts";
import type { Delta } from "../delta/snapshot.ts";
import { takeSnapshot } from "../delta/take-snapshot.ts";
import type { PackOptions } from "./pack.ts";
import type { PackParts } from "./render-pack.ts";

/** Maximum share of the budget for the lines in [DELTA]. */
const DELTA_SHARE = 0.3;

/** Builds everything except the files: the state's id, the task, and the changes since the base. */
export async function buildFrame(
  options: PackOptions,
  target: { counter: TokenCounter; usable: number },
): Promise<PackParts> {
  const { registry, base, signal } = options;
  // A base stores the texts that the model has seen. Only those are compared in words.
  const texts = Object.entries(base?.entries ?? {}).flatMap(([alias, { text }]) =>
    text === undefined ? [] : [alias],
  );
  const current = await takeSnapshot({ registry, texts, signal });
  return {
    style: options.style,
    map: undefined,
    blocks: [],
    names: [],
    contextId: current.id,
    version: options.version ?? { accepted: 0, deltas: 0, repairs: 0 },
    missing: 0,
    attachments: options.attachments ?? [],
    task: instructionOf(options),
    delta: base && fitDelta(await computeDelta(base, current), target),
  };
}

/** Returns the instruction for the model: the user's rules and the task. */
export function instructionOf({ instructions, task }: PackOptions): string {
  return instructions === undefined ? task : `${instructions.trimEnd()}\n\n${task}`;
}

/** Renders the base, then one line per change until the share is used up. */
function fitDelta(
  { baseId, changes }: Delta,
  { counter, usable }: { counter: TokenCounter; usable: number },
): string[] {
  const lines = [`BASE: ${baseId}`, ...describeChanges(changes)];
  return fitLines(lines, (shown) => counter.count(shown.join("\n")) <= usable * DELTA_SHARE);
}
