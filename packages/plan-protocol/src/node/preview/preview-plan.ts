import { throwIfAborted } from "@ccl/core/async";
import { type Result, success } from "@ccl/core";
import { structuredPatch } from "diff";

import type { ValidPlan } from "../../validate/valid-plan.ts";
import type { PlanPreview, PreviewedChange } from "../../workspace/plan-workspace.ts";
import { withTree } from "../file-system/tree.ts";
import { type ResolvedAction, resolvePlan } from "../transaction/resolve-plan.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { hashOfPlan } from "../transaction/hash-of-plan.ts";
import { riskMarks } from "./risk-marks.ts";
import { PlanProtocolError } from "../../plan-protocol-error.ts";

/** Finding the smallest diff of two long texts can take minutes; above this the old text goes and the new one comes. */
const DIFF_TIME_MS = 1_000;

/** Shows what a plan would do to the files as they are now, without the lock: `apply` looks at everything again. */
export async function previewPlan(
  parts: WorkspaceParts,
  plan: ValidPlan,
  signal: AbortSignal | undefined,
): Promise<Result<PlanPreview>> {
  throwIfAborted(signal, PlanProtocolError);
  const resolved = await withTree(parts.root, (tree) => resolvePlan(parts, tree, plan));
  if (!resolved.ok) return resolved;
  const changes: PreviewedChange[] = [];
  for (const action of resolved.value.actions) {
    throwIfAborted(signal, PlanProtocolError);
    changes.push(previewChange(action));
  }
  const needsConfirmation = changes.some(
    ({ kind }) => kind === "DELETE_FILE" || kind === "DELETE_DIR",
  );
  return success({ planHash: hashOfPlan(plan, resolved.value), changes, needsConfirmation });
}

function previewChange(resolved: ResolvedAction): PreviewedChange {
  const { action, base } = resolved;
  const { kind, path } = action;
  const isFolder = kind === "CREATE_DIR" || kind === "DELETE_DIR";
  const { diff, addedLines, removedLines } = isFolder ? NOTHING : diffOf(resolved);
  const risks = riskMarks(resolved, addedLines + removedLines);
  const target = action.kind === "MOVE_FILE" ? action.to : path;
  if (base !== undefined && resolved.baseText === undefined)
    return {
      kind,
      path,
      target,
      diff: `Binary file of ${base.status.sizeBytes} bytes\n`,
      addedLines,
      removedLines,
      risks,
    };
  return { kind, path, target, diff, addedLines, removedLines, risks };
}

const NOTHING = { diff: "", addedLines: 0, removedLines: 0 };

interface Diff {
  diff: string;
  addedLines: number;
  removedLines: number;
}

function diffOf({ action, base, baseText = "", text = "" }: ResolvedAction): Diff {
  const from = base === undefined ? "/dev/null" : `a/${action.path}`;
  const to =
    action.kind === "DELETE_FILE"
      ? "/dev/null"
      : `b/${action.kind === "MOVE_FILE" ? action.to : action.path}`;
  const header = `--- ${from}\n+++ ${to}\n`;
  if (baseText === text) return { ...NOTHING, diff: header };
  const patch = structuredPatch(from, to, baseText, text, undefined, undefined, {
    context: 3,
    timeout: DIFF_TIME_MS,
  });
  if (patch === undefined) return replacedWhole(header, baseText, text);
  const hunks = patch.hunks.map(
    (hunk) =>
      `@@ -${hunk.oldLines === 0 ? Math.max(0, hunk.oldStart - 1) : hunk.oldStart},${hunk.oldLines} ` +
      `+${hunk.newLines === 0 ? Math.max(0, hunk.newStart - 1) : hunk.newStart},${hunk.newLines} @@\n${hunk.lines.join("\n")}\n`,
  );
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    diff: header + hunks.join(""),
    addedLines: lines.filter((line) => line.startsWith("+")).length,
    removedLines: lines.filter((line) => line.startsWith("-")).length,
  };
}

function replacedWhole(header: string, before: string, after: string): Diff {
  const removed = side(before, "-");
  const added = side(after, "+");
  const range = `@@ -${removed.count === 0 ? 0 : 1},${removed.count} +${added.count === 0 ? 0 : 1},${added.count} @@\n`;
  return {
    diff: header + range + removed.text + added.text,
    addedLines: added.count,
    removedLines: removed.count,
  };
}

function side(text: string, mark: "+" | "-"): { text: string; count: number } {
  if (text === "") return { text: "", count: 0 };
  const lines = text.split("\n");
  const hasEnd = lines.at(-1) === "";
  if (hasEnd) lines.pop();
  const rest = hasEnd ? "" : "\\ No newline at end of file\n";
  return { text: lines.map((line) => `${mark}${line}\n`).join("") + rest, count: lines.length };
}
