import type { PrunedTransactions } from "@ccl/plan-protocol/node";

import type { CommandResult } from "../output/command-result.ts";
import { formatCount } from "../output/format-number.ts";
import { renderTable } from "../output/table.ts";
import { hasTransactions, withWorkspace } from "../plan/with-workspace.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl plan prune`. */
export interface PlanPruneFlags {
  /** How many of the latest transactions that are through stay. */
  keep: number;
}

const COLUMNS = [{ title: "transaction" }, { title: "outcome" }];

/** Removes the journals of old transactions, and with them the files that they replaced. */
export async function planPrune(
  session: Session,
  { keep }: PlanPruneFlags,
): Promise<CommandResult> {
  const prune = (): Promise<PrunedTransactions> =>
    withWorkspace(session, {}, (workspace) => workspace.prune({ keep, signal: session.signal }));
  const { removed, needed } = (await hasTransactions(session))
    ? await prune()
    : { removed: [], needed: [] };
  const rows = [...removed.map((id) => [id, "removed"]), ...needed.map((id) => [id, "needed"])];
  return {
    document: { removed, needed },
    text: (style) => (rows.length === 0 ? "" : renderTable(COLUMNS, rows, style)),
    note: () => noteOf(removed.length, needed.length),
  };
}

function noteOf(removed: number, needed: number): string {
  const lines = [
    removed === 0 ? "Nothing was removed." : `Removed ${formatCount(removed, "transaction")}.`,
  ];
  if (needed > 0) {
    const what = formatCount(needed, "transaction");
    lines.push(
      `Kept ${what} that "ccl plan log" shows as unfinished, or whose rollback left paths alone.`,
    );
  }
  return `${lines.join(" ")}\n`;
}
