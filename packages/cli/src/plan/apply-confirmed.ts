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
import { ask, canAsk } from "../output/ask.ts";
import { formatCount } from "../output/text.ts";
import { styleOf } from "../output/style.ts";
import type { Session } from "../session.ts";
import { renderPreview } from "./render-preview.ts";
import { splitCommand } from "./split-command.ts";

/** Flags of every command that applies a plan to files. */
export interface ApplyFlags {
  check?: string[] | undefined;
  /** Time limit for one run of a check, in seconds. */
  checkTimeout?: number | undefined;
  checkMayFail?: boolean | undefined;
  checkMustPass?: boolean | undefined;
  confirm?: string | undefined;
  yes?: boolean | undefined;
}

/** Reads the checks that the flags name. @throws CliError `usage` */
export function checksOf({ check = [], checkTimeout }: ApplyFlags): PlanCheck[] {
  const timeoutMs = checkTimeout === undefined ? undefined : checkTimeout * 1000;
  return check.map((line) => ({ name: line, command: splitCommand(line), timeoutMs }));
}

/** Asks for confirmation on a terminal, then applies. @throws CliError without confirmation */
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
    flags.confirm ?? (flags.yes ? preview.planHash : await askFor(session, plan, preview));
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

/** Asks the user. Returns the hash of the confirmed preview, or undefined if no one can answer. */
async function askFor(
  session: Session,
  plan: ValidPlan,
  preview: PlanPreview,
): Promise<string | undefined> {
  if (!canAsk(session)) return undefined;
  const { terminal } = session;
  terminal.stdout.write(renderPreview(plan, preview, styleOf(terminal.stdout, terminal.env)));
  const removed = deletionsIn(preview).length;
  const warning = removed === 0 ? "" : `, including ${formatCount(removed, "deletion")}`;
  const message = `Apply ${formatCount(preview.changes.length, "change")}${warning}?`;
  await ask(session, message, removed === 0);
  return preview.planHash;
}

function deletionsIn({ changes }: PlanPreview): string[] {
  return changes.flatMap(({ kind, path }) => (kind.startsWith("DELETE") ? [path] : []));
}

function unconfirmed(preview: PlanPreview): CliError {
  const { planHash } = preview;
  const message = `The plan deletes ${deletionsIn(preview).join(", ")}. Pass --confirm ${planHash} to approve exactly this plan, or --yes.`;
  return new CliError("confirmation_required", message, {
    details: { issues: [{ code: "CONFIRM_REQUIRED", path: [], message }], planHash },
  });
}

/** Enough for a dozen failures with their expected values. */
const BUDGET_TOKENS = 2_000;

/** Shortens a check's output. Failures and errors come first, and repeats are shown once. */
export function shortenOutput(output: string): string {
  return compress(output, { budget: BUDGET_TOKENS, query: "error failed expected" }).text;
}
