import type pg from "pg";

/** What DBOS has stored of a run. */
export interface WorkflowRows {
  run: { status: string; output: string | null };
  /** In the order of the calls of the run's workflow. */
  calls: { name: string; child: string | null }[];
  /** Operations' workflows in the order in which they were made. */
  operations: { id: string; status: string; output: string | null; steps: number }[];
}

/** Reads what the schema `dbos` holds of a run and of its operations. */
export async function readWorkflowRows(pool: pg.Pool, runId: string): Promise<WorkflowRows> {
  const workflows = `SELECT w.workflow_uuid AS id, w.status, o.output,
      (SELECT count(*)::int FROM dbos.operation_outputs s WHERE s.workflow_uuid = w.workflow_uuid) AS steps
    FROM dbos.workflow_status w LEFT JOIN dbos.workflow_output o USING (workflow_uuid)`;
  const run = await pool.query<WorkflowRows["operations"][number]>(
    `${workflows} WHERE w.workflow_uuid = $1`,
    [runId],
  );
  const operations = await pool.query<WorkflowRows["operations"][number]>(
    `${workflows} LEFT JOIN dbos.operation_outputs c
       ON c.workflow_uuid = w.parent_workflow_id AND c.child_workflow_id = w.workflow_uuid
     WHERE w.parent_workflow_id = $1 ORDER BY w.created_at, c.function_id`,
    [runId],
  );
  const calls = await pool.query<{ name: string; child: string | null }>(
    `SELECT function_name AS name, child_workflow_id AS child FROM dbos.operation_outputs
     WHERE workflow_uuid = $1 ORDER BY function_id`,
    [runId],
  );
  const [row] = run.rows;
  if (row === undefined) throw new Error(`DBOS has no workflow ${runId}.`);
  return {
    run: { status: row.status, output: textOf(row.output) },
    calls: calls.rows,
    operations: operations.rows.map((operation) => ({
      ...operation,
      output: textOf(operation.output),
    })),
  };
}

/** The rows once no workflow of the run is under way. */
export async function readEndedRows(pool: pg.Pool, runId: string): Promise<WorkflowRows> {
  for (;;) {
    const rows = await readWorkflowRows(pool, runId);
    const statuses = [rows.run, ...rows.operations].map(({ status }) => status);
    if (statuses.every((status) => status !== "PENDING" && status !== "ENQUEUED")) return rows;
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

/** DBOS keeps a value with its type around it. */
function textOf(output: string | null): string | null {
  const value: unknown = output === null ? null : JSON.parse(output);
  const json: unknown =
    typeof value === "object" && value !== null && "json" in value ? value.json : value;
  return typeof json === "string" ? json : null;
}
