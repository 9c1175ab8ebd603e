import { parsePlan, type PlanMode, validatePlan, type ValidPlan } from "@ccl/plan-protocol";

import type { CommandResult } from "../output/command-result.ts";
import { formatCount } from "../output/format-number.ts";
import { printableLines } from "../output/printable.ts";
import { renderTable } from "../output/table.ts";
import { loadPlan, type PlanInputFlags } from "../plan/load-plan.ts";
import { planFailure } from "../plan/plan-failure.ts";
import { readInput } from "../plan/read-input.ts";
import { withWorkspace } from "../plan/with-workspace.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl plan validate`. */
export interface PlanValidateFlags extends PlanInputFlags {
  mode: PlanMode;
}

/** Checks an answer: whether it holds a plan, whether that fits its mode, and in apply mode whether it fits the files. */
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
      `${renderTable([{ title: "action" }, { title: "path" }], rows, style)}${printableLines(plan.summary)}\n`,
    note: ({ colours }) =>
      `${colours.green("ok")}: version ${plan.version}, ${formatCount(plan.actions.length, "action")}\n`,
  };
}

/** A plan without actions has nothing to do with the files. */
async function readPlanMode(
  session: Session,
  file: string | undefined,
  flags: PlanInputFlags,
): Promise<ValidPlan> {
  const version = flags.schemaVersion;
  const parsed = parsePlan(await readInput(session, file, "a plan"), { version });
  const valid = parsed.ok ? validatePlan(parsed.value, { mode: "plan" }) : parsed;
  if (!valid.ok) throw planFailure(valid.issues);
  return valid.value;
}
