import type { CommandResult } from "../output/command-result.ts";
import { renderTable } from "../output/table.ts";
import { withWorkspace } from "../plan/with-workspace.ts";
import type { Session } from "../session.ts";

const COLUMNS = [
  { title: "transaction" },
  { title: "outcome" },
  { title: "paths", align: "right" as const },
  { title: "kept" },
  { title: "written by checks" },
];

/** Undoes what processes that have ended left unfinished. */
export async function planRecover(session: Session): Promise<CommandResult> {
  const recovered = await withWorkspace(session, {}, (workspace) => {
    session.forbidExit();
    return workspace.recover({ signal: session.signal });
  });
  const rows = recovered.map(({ transactionId, outcome, paths, keptPaths, writtenPaths }) => [
    transactionId,
    outcome,
    String(paths.length),
    keptPaths.join(", "),
    writtenPaths.join(", "),
  ]);
  return {
    document: { recovered },
    text: (style) => (rows.length === 0 ? "" : renderTable(COLUMNS, rows, style)),
    note: () => (rows.length === 0 ? "Nothing was left unfinished.\n" : ""),
  };
}
