import { usageError } from "../cli-error.ts";
import { few, formatCount, printable } from "../output/text.ts";
import { tableOf } from "../output/table.ts";
import { requireDone } from "../plan/plan-failure.ts";
import { withWorkspace } from "../plan/with-workspace.ts";
import type { CommandResult, Session } from "../session.ts";

/** Lists the transactions of the folder, oldest first. */
export async function planLog(session: Session): Promise<CommandResult> {
  const transactions = await withWorkspace(session, {}, (workspace) =>
    workspace.transactions(session),
  );
  const rows = transactions.map(({ transactionId, timeMs, status, paths }) => [
    transactionId,
    new Date(timeMs).toISOString(),
    status,
    few(paths),
  ]);
  return {
    document: { transactions },
    text: tableOf(["transaction", "time", "status", "paths"], rows, ""),
    note: rows.length === 0 ? "No plan was applied here.\n" : "",
  };
}

/** Removes the journals of old transactions, including the replaced files that they hold. */
export async function planPrune(
  session: Session,
  { keep }: { keep: number },
): Promise<CommandResult> {
  const { removed, needed } = await withWorkspace(session, {}, (workspace) =>
    workspace.prune({ ...session, keep }),
  );
  const rows = [...removed.map((id) => [id, "removed"]), ...needed.map((id) => [id, "needed"])];
  return {
    document: { removed, needed },
    text: tableOf(["transaction", "outcome"], rows, ""),
    note: () => {
      const done =
        removed.length === 0
          ? "Nothing was removed."
          : `Removed ${formatCount(removed.length, "transaction")}.`;
      const kept = `Kept ${formatCount(needed.length, "transaction")} that "ccl plan log" shows as unfinished, or whose rollback skipped some paths.`;
      return needed.length === 0 ? `${done}\n` : `${done} ${kept}\n`;
    },
  };
}

/** Rolls back transactions whose processes ended before finishing them. */
export async function planRecover(session: Session): Promise<CommandResult> {
  const recovered = await withWorkspace(session, {}, (workspace) => {
    session.forbidExit();
    return workspace.recover(session);
  });
  const rows = recovered.map(({ transactionId, outcome, paths, keptPaths, writtenPaths }) => [
    transactionId,
    outcome,
    paths.length,
    keptPaths.join(", "),
    writtenPaths.join(", "),
  ]);
  return {
    document: { recovered },
    text: tableOf(
      ["transaction", "outcome", { right: "paths" }, "kept", "written by checks"],
      rows,
      "",
    ),
    note: rows.length === 0 ? "Nothing was left unfinished.\n" : "",
  };
}

/** Rolls back a transaction. `last` is the latest one that has not been rolled back. */
export function planRollback(session: Session, transaction: string): Promise<CommandResult> {
  return withWorkspace(session, {}, async (workspace) => {
    const transactions = transaction === "last" ? await workspace.transactions(session) : [];
    const last = transactions.findLast(({ status }) => status === "committed");
    const id = last?.transactionId ?? transaction;
    session.forbidExit();
    const rolledBack = await workspace.rollback(id, session);
    const [issue] = rolledBack.ok ? [] : rolledBack.issues;
    if (issue?.code === "PATH_NOT_FOUND")
      throw usageError(
        `${id === "last" ? "There is no transaction to roll back." : issue.message} "ccl plan log" lists the transactions.`,
      );
    const undone = requireDone(rolledBack);
    const { paths } = undone;
    return {
      isCommitted: true,
      document: undone,
      text: ({ colours }) =>
        `${paths.map((path) => `${printable(path)}\n`).join("")}${colours.green("rolled back")} ${formatCount(paths.length, "path")} of ${id}\n`,
    };
  });
}
