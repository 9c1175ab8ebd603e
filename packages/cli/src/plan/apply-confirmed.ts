import { compress } from "@ccl/compress";
import type { Result } from "@ccl/core";
import type {
  AppliedPlan,
  ApplyOptions,
  PlanCheck,
  PlanPreview,
  ValidPlan,
} from "@ccl/plan-protocol";

import { CliError } from "../cli-error.ts";
import { formatCount } from "../output/format-number.ts";
import { styleOf } from "../output/style.ts";
import { canAsk, type Session } from "../session.ts";
import { renderPreview } from "./render-preview.ts";
import { splitCommand } from "./split-command.ts";

/** Flags of every command that changes files by a plan. */
export interface ApplyFlags {
  check?: string[] | undefined;
  /** For one run of a check, in seconds. */
  checkTimeout?: number | undefined;
  checkMayFail?: boolean | undefined;
  checkMustPass?: boolean | undefined;
  confirm?: string | undefined;
  yes?: boolean | undefined;
}

/** The checks that the flags name. @throws CliError `usage` */
export function checksOf({ check = [], checkTimeout }: ApplyFlags): PlanCheck[] {
  const timeoutMs = checkTimeout === undefined ? undefined : checkTimeout * 1000;
  return check.map((line) => ({ name: line, command: splitCommand(line), timeoutMs }));
}

/** Asks where somebody can answer, then applies. @throws CliError without agreement */
export async function applyConfirmed(
  session: Session,
  flags: ApplyFlags,
  proposal: {
    plan: ValidPlan;
    preview: PlanPreview;
    apply(options: ApplyOptions): Promise<Result<AppliedPlan>>;
  },
): Promise<Result<AppliedPlan>> {
  const { plan, preview } = proposal;
  const { signal, progress } = session;
  const checks = checksOf(flags);
  const confirm =
    flags.confirm ?? (flags.yes === true ? preview.planHash : await askFor(session, plan, preview));
  if (confirm === undefined && preview.needsConfirmation) throw unconfirmed(preview);
  progress.update(
    checks.length === 0 ? "Applying" : "Applying and checking",
    preview.changes.length,
  );
  session.forbidExit();
  const { checkMayFail: mayFail, checkMustPass: mustPass } = flags;
  const options = { checks, mayFail, mustPass, signal, confirm, shortenOutput };
  const applied = await proposal.apply(options);
  progress.clear();
  return applied;
}

/** The hash of what the user has just seen and agreed to; undefined where nobody can be asked. */
async function askFor(
  session: Session,
  plan: ValidPlan,
  preview: PlanPreview,
): Promise<string | undefined> {
  const { terminal, signal } = session;
  if (!canAsk(session) || terminal.env["CI"]) return undefined;
  terminal.stdout.write(renderPreview(plan, preview, styleOf(terminal.stdout, terminal.env)));
  const prompts = await import("@clack/prompts");
  const removed = preview.changes.filter(({ kind }) => kind.startsWith("DELETE")).length;
  const warning = removed === 0 ? "" : `, ${formatCount(removed, "deletion")} among them`;
  const message = `Apply ${formatCount(preview.changes.length, "change")}${warning}?`;
  const answer = await prompts.confirm({ message, initialValue: removed === 0, signal });
  if (prompts.isCancel(answer) || !answer) throw new CliError("aborted", "Nothing was changed.");
  return preview.planHash;
}

function unconfirmed({ planHash, changes }: PlanPreview): CliError {
  const removed = changes.filter(({ kind }) => kind.startsWith("DELETE")).map(({ path }) => path);
  const message = `The plan deletes ${removed.join(", ")}. Pass --confirm ${planHash} to agree to just this plan, or --yes.`;
  return new CliError("confirmation_required", message, {
    details: { issues: [{ code: "CONFIRM_REQUIRED", path: [], message }], planHash },
  });
}

/** Enough for a dozen failures with what was expected. */
const BUDGET_TOKENS = 2_000;

/** What a check printed, as its reader needs it: failures and errors first, repeats once. */
export function shortenOutput(output: string): string {
  return compress(output, { budget: BUDGET_TOKENS, query: "error failed expected" }).text;
}
