import { type Result, success } from "@ccl/core";

import type { ReadEdits } from "../any-format/parse-edits.ts";
import { type PlanIssue, planIssue } from "../plan-issue.ts";
import { checkPlanOf } from "../validate/validate-plan.ts";
import type { ValidAction, ValidPlan } from "../validate/valid-plan.ts";
import type { PlanPreview } from "../workspace/plan-workspace.ts";
import { secretMask } from "./gather-context.ts";
import type { ProposalRun } from "./proposal-run.ts";
import type { ShownContext } from "./select-context.ts";

/** A plan that can be applied, with its preview. */
export interface CheckedPlan {
  plan: ValidPlan;
  preview?: PlanPreview | undefined;
}

/** Checks a plan against its mode, the context shown to the model, and the files themselves. */
export async function checkPlan(
  run: ProposalRun,
  { plan, edits, remarks }: ReadEdits,
  shown: ShownContext,
): Promise<Result<CheckedPlan>> {
  const { mode, policy, limits, workspace, recorder, signal } = run;
  const { readSet } = shown;
  // The model must not request these again.
  const unread = new Map(
    run.cycle.entries.flatMap(({ request, unread: why }) =>
      request.type === "read_file" && why !== undefined ? [[request.path, why] as const] : [],
    ),
  );
  const valid = checkPlanOf(plan, { mode, readSet, policy, limits }, { edits, unread, remarks });
  const issues = valid.ok ? checkAgainstShown(valid.value.actions, plan, shown) : valid.issues;
  if (!valid.ok || issues.length > 0) return { ok: false, issues };
  if (mode === "plan" || valid.value.actions.length === 0 || workspace === undefined)
    return success({ plan: valid.value });
  const preview = await workspace.preview(valid.value, { signal });
  if (!preview.ok) return preview;
  const { planHash, changes } = preview.value;
  recorder.emit({ type: "PREVIEW_READY", plan_hash: planHash, changes: changes.length });
  return success({ plan: valid.value, preview: preview.value });
}

/** Rejects new text that contains a secret's mask. Only the session knows what was hidden from the model. */
function checkAgainstShown(
  actions: readonly ValidAction[],
  plan: ReadEdits["plan"],
  { readSet }: ShownContext,
): PlanIssue[] {
  return actions.flatMap((action): PlanIssue[] => {
    const mask = "content" in action ? secretMask.exec(action.content ?? "")?.[0] : undefined;
    if (mask === undefined || readSet.get(action.path)?.text.includes(mask) === true) return [];
    const index = plan.actions.findIndex(({ path }) => path === action.path);
    const message = `The text contains ${mask}, which stands for a hidden secret. Leave the line with the secret unchanged.`;
    return [planIssue("ERR_ELISION", message, ["actions", index])];
  });
}
