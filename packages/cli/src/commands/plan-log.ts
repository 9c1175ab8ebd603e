import type { TransactionRecord } from "@ccl/plan-protocol/node";

import type { CommandResult } from "../output/command-result.ts";
import { renderTable } from "../output/table.ts";
import { hasTransactions, withWorkspace } from "../plan/with-workspace.ts";
import type { Session } from "../session.ts";

const COLUMNS = [
  { title: "transaction" },
  { title: "time" },
  { title: "status" },
  { title: "paths" },
];
const SHOWN_PATHS = 3;

/** Lists the transactions of the folder, oldest first. */
export async function planLog(session: Session): Promise<CommandResult> {
  const list = (): Promise<TransactionRecord[]> =>
    withWorkspace(session, {}, (workspace) => workspace.transactions({ signal: session.signal }));
  const transactions = (await hasTransactions(session)) ? await list() : [];
  const rows = transactions.map(({ transactionId, timeMs, status, paths }) => {
    const more = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : "";
    const shown = `${paths.slice(0, SHOWN_PATHS).join(", ")}${more}`;
    return [transactionId, new Date(timeMs).toISOString(), status, shown];
  });
  return {
    document: { transactions },
    text: (style) => (rows.length === 0 ? "" : renderTable(COLUMNS, rows, style)),
    note: () => (rows.length === 0 ? "No plan was applied here.\n" : ""),
  };
}
