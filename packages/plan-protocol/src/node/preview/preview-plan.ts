import { assertNotAborted } from "../../plan-protocol-error.ts";
import { type Result, success } from "@ccl/core";
import { formatPatch, OMIT_HEADERS, type StructuredPatch, structuredPatch } from "diff";

import { quote } from "../../plan-issue.ts";
import { remarksOn, type ValidPlan } from "../../validate/valid-plan.ts";
import type { PlanPreview, PreviewedChange } from "../../workspace/plan-workspace.ts";
import { decodeText } from "../file-system/read-file.ts";
import type { WorkspaceParts } from "../file-system/workspace-parts.ts";
import { contentOf, type ResolvedAction, type ResolvedPlan, resolvePlan } from "./resolve-plan.ts";
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
  const { planHash, actions, needsConfirmation } = resolved.value;
  const changes = actions.map((action) => {
    assertNotAborted(signal);
    return previewChange(action);
  });
  return success({ planHash, changes, remarks: remarksOn(plan), needsConfirmation });
}

/** Returns the diffs of a plan's files, one after another. The time limit of one previewed diff applies to all. */
export function diffOfPlan({ actions }: ResolvedPlan): string {
  const until = performance.now() + DIFF_TIME_MS;
  return actions
    .map((action) => previewChange(action, Math.max(1, until - performance.now())).diff)
    .join("");
}

function previewChange(resolved: ResolvedAction, timeoutMs = DIFF_TIME_MS): PreviewedChange {
  const { action, base } = resolved;
  const { kind, path } = action;
  const target = kind === "MOVE_FILE" ? action.to : path;
  const baseText = base?.bytes && decodeText(base.bytes);
  const isBinary = base !== undefined && baseText === undefined;
  const before = baseText ?? "";
  const written = isBinary ? undefined : contentOf(resolved);
  const after = new TextDecoder("utf-8", { ignoreBOM: true }).decode(written);
  const patch = patchOf(before, after, timeoutMs);
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const countOf = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  const [addedLines, removedLines] = [countOf("+"), countOf("-")];
  const isFolder = kind === "CREATE_DIR" || kind === "DELETE_DIR";
  const from = base === undefined ? "/dev/null" : `a/${path}`;
  const to = kind === "DELETE_FILE" ? "/dev/null" : `b/${target}`;
  const header = isFolder ? "" : `--- ${from}\n+++ ${to}\n`;
  const body = lines.length === 0 ? "" : formatPatch(patch, OMIT_HEADERS);
  return {
    kind,
    path,
    target,
    diff: isBinary
      ? `Binary file ${quote(path)} of ${base.status.sizeBytes} bytes\n`
      : header + body,
    addedLines,
    removedLines,
    risks: riskMarks(resolved, { before, after, changedLines: addedLines + removedLines }),
  };
}

/** Returns the smallest patch, or one that removes all old lines and adds all new ones if finding it takes too long. */
function patchOf(before: string, after: string, timeout: number): StructuredPatch {
  const options = { context: 3, timeout };
  const smallest = structuredPatch("", "", before, after, undefined, undefined, options);
  if (smallest !== undefined) return smallest;
  const { hunks, ...names } = structuredPatch("", "", before, "");
  const [removed] = hunks;
  const [added] = structuredPatch("", "", "", after).hunks;
  const lines = [...(removed?.lines ?? []), ...(added?.lines ?? [])];
  const counts = { oldLines: removed?.oldLines ?? 0, newLines: added?.newLines ?? 0 };
  return { ...names, hunks: [{ oldStart: 1, newStart: 1, ...counts, lines }] };
}
