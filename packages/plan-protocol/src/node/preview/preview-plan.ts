import { assertNotAborted } from "../../plan-protocol-error.ts";
import { type Result, success } from "@ccl/core";
import { formatPatch, OMIT_HEADERS, type StructuredPatch, structuredPatch } from "diff";

import { quote } from "../../plan-issue.ts";
import { remarksOn, type ValidPlan } from "../../validate/valid-plan.ts";
import type { PlanPreview, PreviewedChange } from "../../workspace/plan-workspace.ts";
import {
  type ResolvedAction,
  type ResolvedPlan,
  resolvePlan,
} from "../transaction/resolve-plan.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { riskMarks } from "./risk-marks.ts";

/** The smallest diff of two long texts can take minutes. After this time, the diff replaces the whole text. */
const DIFF_TIME_MS = 1_000;

/** Shows what a plan would do to the current files. Takes no lock, because `apply` checks everything again. */
export async function previewPlan(
  parts: WorkspaceParts,
  plan: ValidPlan,
  signal: AbortSignal | undefined,
): Promise<Result<PlanPreview>> {
  assertNotAborted(signal);
  const resolved = await resolvePlan(parts, plan);
  if (!resolved.ok) return resolved;
  const changes: PreviewedChange[] = [];
  for (const action of resolved.value.actions) {
    assertNotAborted(signal);
    changes.push(previewChange(action));
  }
  const { planHash, needsConfirmation } = resolved.value;
  return success({ planHash, changes, remarks: remarksOn(plan), needsConfirmation });
}

/** Returns the diffs of a plan's files, one after another. The time limit of one previewed diff applies to all. */
export function diffOfPlan({ actions }: ResolvedPlan): string {
  const until = performance.now() + DIFF_TIME_MS;
  return actions
    .map((action) => previewChange(action, Math.max(1, until - performance.now())).diff)
    .join("");
}

function previewChange(resolved: ResolvedAction, timeout = DIFF_TIME_MS): PreviewedChange {
  const { action, base, baseText } = resolved;
  const { kind, path } = action;
  const isFolder = kind === "CREATE_DIR" || kind === "DELETE_DIR";
  const { diff, addedLines, removedLines } = isFolder ? NOTHING : diffOf(resolved, timeout);
  const isBinary = base !== undefined && baseText === undefined;
  return {
    kind,
    path,
    target: action.kind === "MOVE_FILE" ? action.to : path,
    diff: isBinary ? `Binary file ${quote(path)} of ${base.status.sizeBytes} bytes\n` : diff,
    addedLines,
    removedLines,
    risks: riskMarks(resolved, addedLines + removedLines),
  };
}

const NOTHING = { diff: "", addedLines: 0, removedLines: 0 };

function diffOf(
  { action, base, baseText = "", text = "" }: ResolvedAction,
  timeout: number,
): typeof NOTHING {
  const from = base === undefined ? "/dev/null" : `a/${action.path}`;
  const to =
    action.kind === "DELETE_FILE"
      ? "/dev/null"
      : `b/${action.kind === "MOVE_FILE" ? action.to : action.path}`;
  const header = `--- ${from}\n+++ ${to}\n`;
  if (baseText === text) return { ...NOTHING, diff: header };
  const options = { context: 3, timeout };
  const patch =
    structuredPatch(from, to, baseText, text, undefined, undefined, options) ??
    replacedWhole(baseText, text);
  const countOf = (mark: string): number =>
    patch.hunks.flatMap(({ lines }) => lines).filter((line) => line.startsWith(mark)).length;
  return {
    diff: header + formatPatch(patch, OMIT_HEADERS),
    addedLines: countOf("+"),
    removedLines: countOf("-"),
  };
}

/** Creates a patch that removes all old lines and adds all new ones. */
function replacedWhole(before: string, after: string): StructuredPatch {
  const { hunks, ...names } = structuredPatch("", "", before, "");
  const [removed] = hunks;
  const [added] = structuredPatch("", "", "", after).hunks;
  const lines = [...(removed?.lines ?? []), ...(added?.lines ?? [])];
  const counts = { oldLines: removed?.oldLines ?? 0, newLines: added?.newLines ?? 0 };
  return { ...names, hunks: [{ oldStart: 1, newStart: 1, ...counts, lines }] };
}
