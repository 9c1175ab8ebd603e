import type { CommandResult } from "../output/command-result.ts";
import { applyConfirmed, type ApplyFlags } from "../plan/apply-confirmed.ts";
import { loadPlan, type PlanInputFlags } from "../plan/load-plan.ts";
import { planFailure } from "../plan/plan-failure.ts";
import { renderApplied } from "../plan/render-preview.ts";
import { forgetSaved } from "../plan/saved-plan.ts";
import { withWorkspace } from "../plan/with-workspace.ts";
import type { Session } from "../session.ts";

/** Applies a plan as one transaction; where a check fails that passed before, everything is rolled back. */
export async function planApply(
  session: Session,
  file: string | undefined,
  flags: PlanInputFlags & ApplyFlags,
): Promise<CommandResult> {
  return await withWorkspace(session, flags, async (workspace) => {
    const plan = await loadPlan(session, workspace, { file, flags });
    const preview = await workspace.preview(plan, { signal: session.signal });
    if (!preview.ok) throw planFailure(preview.issues);
    if (plan.actions.length === 0)
      return {
        document: { summary: plan.summary, changes: [], checks: [] },
        text: () => `${plan.summary}\n`,
      };
    const applied = await applyConfirmed(session, flags, {
      plan,
      preview: preview.value,
      apply: (options) => workspace.apply(plan, options),
    });
    if (!applied.ok) throw planFailure(applied.issues);
    if (file === undefined) await forgetSaved(session);
    return {
      isCommitted: true,
      document: { ...applied.value, planHash: preview.value.planHash, summary: plan.summary },
      text: (style) => renderApplied(applied.value, style),
    };
  });
}
