import {
  parsePlan,
  type PlanMode,
  type PlanPreview,
  validatePlan,
  type ValidPlan,
} from "@ccl/plan-protocol";

import { formatCount, printable, printableLines } from "../output/text.ts";
import { renderTable } from "../output/table.ts";
import { applyConfirmed, type ApplyFlags } from "../plan/apply-confirmed.ts";
import { loadPlan, type PlanInputFlags } from "../plan/load-plan.ts";
import { requireDone } from "../plan/plan-failure.ts";
import { readInput } from "../plan/read-input.ts";
import { renderApplied, renderPreview } from "../plan/render-preview.ts";
import { forgetSaved } from "../plan/saved-plan.ts";
import { type OpenedWorkspace, withWorkspace } from "../plan/with-workspace.ts";
import type { CommandResult, Session } from "../session.ts";

/** Flags of `ccl plan validate`. */
interface PlanValidateFlags extends PlanInputFlags {
  mode: PlanMode;
}

/** Checks that an answer contains a plan that matches its mode and, in apply mode, the files. */
export async function planValidate(
  session: Session,
  file: string | undefined,
  flags: PlanValidateFlags,
): Promise<CommandResult> {
  const plan =
    flags.mode === "apply"
      ? await withWorkspace(session, flags, (workspace) =>
          loadPlan(session, workspace, { file, flags }),
        )
      : await readPlanMode(session, file, flags);
  const rows = plan.actions.map(({ kind, path }) => [kind, path]);
  return {
    document: { isValid: true, plan },
    text: (style) =>
      `${renderTable(["action", "path"], rows, style)}${printableLines(plan.summary)}\n`,
    note: ({ colours }) =>
      `${colours.green("ok")}: version ${plan.version}, ${formatCount(plan.actions.length, "action")}\n`,
  };
}

/** Reads a plan in plan mode. It has no actions, so it needs no files. */
async function readPlanMode(
  session: Session,
  file: string | undefined,
  flags: PlanInputFlags,
): Promise<ValidPlan> {
  const version = flags.schemaVersion;
  const parsed = parsePlan(await readInput(session, file, "a plan"), { version });
  return requireDone(validatePlan(requireDone(parsed), { mode: "plan" }));
}

interface Previewed {
  workspace: OpenedWorkspace;
  plan: ValidPlan;
  preview: PlanPreview;
}

/** Runs `work` on a plan and its preview on the current files. */
function withPreview(
  session: Session,
  { file, flags }: { file: string | undefined; flags: PlanInputFlags },
  work: (previewed: Previewed) => Promise<CommandResult>,
): Promise<CommandResult> {
  return withWorkspace(session, flags, async (workspace) => {
    const plan = await loadPlan(session, workspace, { file, flags });
    const preview = requireDone(await workspace.preview(plan, session));
    return work({ workspace, plan, preview });
  });
}

/** Shows what a plan would do, and the hash that confirms this preview. */
export function planPreview(
  session: Session,
  file: string | undefined,
  flags: PlanInputFlags,
): Promise<CommandResult> {
  return withPreview(session, { file, flags }, async ({ plan, preview }) => ({
    document: { ...preview, summary: plan.summary },
    text: (style) => renderPreview(plan, preview, style),
    note({ colours }) {
      const { planHash, needsConfirmation } = preview;
      const how = needsConfirmation
        ? `It deletes files. To apply it, pass --confirm ${planHash}\n`
        : "";
      return `${colours.dim(`plan ${planHash}`)}\n${how}`;
    },
  }));
}

/** Applies a plan as one transaction. Rolls everything back if a check fails that passed before. */
export function planApply(
  session: Session,
  file: string | undefined,
  flags: PlanInputFlags & ApplyFlags,
): Promise<CommandResult> {
  return withPreview(session, { file, flags }, async ({ workspace, plan, preview }) => {
    const { summary } = plan;
    if (plan.actions.length === 0)
      return { document: { summary, changes: [], checks: [] }, text: `${summary}\n` };
    const applied = requireDone(
      await applyConfirmed(session, flags, {
        plan,
        preview,
        apply: (options) => workspace.apply(plan, options),
      }),
    );
    if (file === undefined) await forgetSaved(session);
    return {
      isCommitted: true,
      document: { ...applied, planHash: preview.planHash, summary },
      text: (style) => renderApplied(applied, style),
      note: preview.remarks.map((remark) => `${printable(remark)}\n`).join(""),
    };
  });
}
