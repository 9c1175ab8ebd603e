import type { FileWorkspace } from "@ccl/plan-protocol/node";

import { CliError } from "../cli-error.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatCount } from "../output/format-number.ts";
import { printable } from "../output/printable.ts";
import { planFailure } from "../plan/plan-failure.ts";
import { withWorkspace } from "../plan/with-workspace.ts";
import type { Session } from "../session.ts";

/** Takes a transaction back; `last` is the latest that stands. */
export async function planRollback(session: Session, transaction: string): Promise<CommandResult> {
  const { signal } = session;
  return await withWorkspace(session, {}, async (workspace) => {
    const id = transaction === "last" ? await lastCommitted(workspace, signal) : transaction;
    session.forbidExit();
    const undone = await workspace.rollback(id, { signal });
    if (!undone.ok) throw planFailure(undone.issues);
    const { paths } = undone.value;
    return {
      isCommitted: true,
      document: undone.value,
      text: ({ colours }) =>
        `${paths.map((path) => `${printable(path)}\n`).join("")}${colours.green("rolled back")} ${formatCount(paths.length, "path")} of ${id}\n`,
    };
  });
}

async function lastCommitted(workspace: FileWorkspace, signal: AbortSignal): Promise<string> {
  const last = (await workspace.transactions({ signal })).findLast(
    ({ status }) => status === "committed",
  );
  if (last !== undefined) return last.transactionId;
  throw new CliError(
    "usage",
    'No transaction stands that could be rolled back. "ccl plan log" lists them.',
  );
}
