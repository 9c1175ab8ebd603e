import { applyContextDiet } from "../context/apply-context-diet.ts";
import type { ContextBlock } from "../context/context-block.ts";
import type { ReadFile, ReadSet } from "../validate/valid-plan.ts";
import { fileOf } from "./gather-context.ts";
import type { ProposalRun } from "./proposal-run.ts";

/** Context shown to the model, and the files that its plan may change. */
export interface ShownContext {
  blocks: ContextBlock[];
  dropped: ContextBlock[];
  /**
   * Files shown in whole or in part. Only these may be changed, and only files shown in full and unmasked may be
   * replaced.
   */
  readSet: ReadSet;
}

/** Fits the cycle's context into the limits and reports the cuts. */
export function selectContext(run: ProposalRun): ShownContext {
  const given = run.cycle.entries.flatMap((entry) =>
    entry.block === undefined
      ? []
      : [{ entry, block: { ...entry.block, priority: entry.block.priority ?? entry.priority } }],
  );
  const { blocks, dropped, stats } = applyContextDiet(
    given.map(({ block }) => block),
    run.limits,
  );
  if (stats.dropped > 0 || stats.truncated > 0)
    run.recorder.emit({ type: "CONTEXT_DIET_APPLIED", ...stats });
  const readSet = new Map<string, ReadFile>();
  for (const path of run.cycle.shownFiles) {
    const file = run.workspace?.readSet.get(path);
    if (file !== undefined) readSet.set(path, { ...file, isPartial: true });
  }
  const kept = given.filter(({ block }) => !dropped.includes(block));
  for (const [index, { entry, block }] of kept.entries()) {
    const { path = "" } = fileOf(entry.request, run);
    const file = run.workspace?.readSet.get(path);
    if (file === undefined || block.sha256 === undefined) continue;
    const isCut = blocks[index]?.text !== block.text;
    const isFromStart = entry.request.type !== "read_file" || (entry.request.start_line ?? 1) === 1;
    const isWhole = isFromStart && block.text.length >= file.text.length;
    const isShownWhole = isWhole && !isCut && entry.isMasked !== true;
    const isPartial = !isShownWhole && readSet.get(path)?.isPartial !== false;
    readSet.set(path, { ...file, isPartial });
  }
  return { blocks, dropped, readSet };
}
