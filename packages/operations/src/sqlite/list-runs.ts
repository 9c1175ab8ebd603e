import { jsonIn, requiredJsonIn, type SqliteDatabase } from "@ccl/sql";

import type { RunInput } from "../ports/run-store.ts";
import type { RunResult, RunStatus } from "../run/run-result.ts";

/** A run in a list. */
export interface RunSummary {
  runId: string;
  chatId: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  finishedAt?: number | undefined;
  status: RunStatus | "running";
}

/** The last runs, ended ones too, the newest first; the database may be open for reading only. */
export function listRuns(
  database: SqliteDatabase,
  { limit = 100 }: { limit?: number | undefined } = {},
): RunSummary[] {
  const rows = database
    .prepare("SELECT input, result FROM ccl_operation_runs ORDER BY rowid DESC LIMIT ?")
    .all(limit);
  return rows.map((row) => {
    const { runId, chatId, startedAt } = requiredJsonIn<RunInput>(row, "input");
    const result = jsonIn<RunResult>(row, "result");
    const { finishedAt, status = "running" } = result ?? {};
    return { runId, chatId, startedAt, finishedAt, status };
  });
}
