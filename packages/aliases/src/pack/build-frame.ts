import type { TokenCounter } from "@ccl/core";

import { computeDelta } from "../delta/compute-delta.ts";
import { describeChanges, fitLines } from "../delta/render-delta.ts";
import { snapshotId } from "../delta/snapshot-id.ts";
import type { Delta, SnapshotEntry } from "../delta/snapshot.ts";
import type { PackOptions } from "./pack.ts";
import type { PackParts } from "./render-pack.ts";

/** Maximum share of the budget for the lines of [DELTA]. */
const DELTA_SHARE = 0.3;

/** Builds everything except the files: the state's id, the task and the changes since the base. */
export async function buildFrame(
  options: PackOptions,
  target: { counter: TokenCounter; usable: number },
): Promise<PackParts> {
  const { registry, base, signal } = options;
  const entries: Record<string, SnapshotEntry> = {};
  for (const { alias, path, sha256 } of await registry.stat(signal && { signal })) {
    if (sha256 === undefined) continue;
    // A base stores the files that the model was shown. Only those are compared in words.
    const before = base?.entries[alias];
    let text = before?.text;
    if (before?.text !== undefined && before.sha256 !== sha256) {
      const content = await registry.resolve(alias, signal && { signal });
      text = content.ok ? content.value.text?.replaceAll("\r\n", "\n") : undefined;
    }
    entries[alias] = { path, sha256, text };
  }
  const current = { id: snapshotId(entries), entries };
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

/** The instruction for the model: the user's rules and the task. */
export function instructionOf({ instructions, task }: PackOptions): string {
  return instructions === undefined ? task : `${instructions.trimEnd()}\n\n${task}`;
}

/** The base, then one line per change as far as the share allows. */
function fitDelta(
  { baseId, changes }: Delta,
  { counter, usable }: { counter: TokenCounter; usable: number },
): string[] {
  const lines = [`BASE: ${baseId}`, ...describeChanges(changes)];
  return fitLines(lines, (shown) => counter.count(shown.join("\n")) <= usable * DELTA_SHARE);
}
