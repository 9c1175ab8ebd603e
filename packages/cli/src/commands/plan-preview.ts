import { EXIT_CODES } from "../exit-code.ts";
import type { CommandResult } from "../output/command-result.ts";
import { loadPlan, type PlanInputFlags } from "../plan/load-plan.ts";
import { planFailure } from "../plan/plan-failure.ts";
import { renderPreview } from "../plan/render-preview.ts";
import { withWorkspace } from "../plan/with-workspace.ts";
import type { Session } from "../session.ts";

/** Shows what a plan would do to the files as they are now, and the hash that confirms just that. */
export async function planPreview(
  session: Session,
  file: string | undefined,
  flags: PlanInputFlags,
): Promise<CommandResult> {
  return await withWorkspace(session, flags, async (workspace) => {
    const plan = await loadPlan(session, workspace, { file, flags });
    const preview = await workspace.preview(plan, { signal: session.signal });
    if (!preview.ok) throw planFailure(preview.issues);
    const { planHash, needsConfirmation } = preview.value;
    const how = needsConfirmation ? `--confirm ${planHash}` : "";
    return {
      document: { ...preview.value, summary: plan.summary },
      text: (style) => renderPreview(plan, preview.value, style),
      note: ({ colours }) =>
        `${colours.dim(`plan ${planHash}`)}\n${how === "" ? "" : `It deletes: apply takes ${how}\n`}`,
      exitCode: EXIT_CODES.ok,
    };
  });
}
