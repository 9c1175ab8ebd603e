import { executePlan } from "../execute/execute-plan.ts";
import { explainPlan } from "../explain/explain-plan.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import type { LogicalPlan } from "../plan/logical-plan.ts";
import { invalidQuery } from "../query-error.ts";
import {
  executeSql,
  explainSql,
  type RunSqlOptions,
  type SqlExplanation,
  type SqlResult,
} from "../select/run-sql.ts";

/** A SELECT, or a plan as accepted by `parseLogicalPlan`. */
export interface Query {
  sql?: string | undefined;
  /** Used if there is no SQL. */
  plan?: unknown;
}

/** Steps that run in one place, in execution order. */
interface QueryPlace {
  name: string;
  steps: { text: string }[];
  /** Estimated number of returned rows. */
  rows?: number | undefined;
}

/** Describes where each part of a query would run. */
export interface QueryExplanation {
  ranOn: string;
  text: string;
  /** `here` is absent if one source runs everything. */
  diagram: { sources: QueryPlace[]; here?: QueryPlace | undefined };
}

/** Runs SQL like `executeSql`, or a plan, which returns no doubts. @throws QueryError like `executeSql` */
export async function executeQuery(
  { sql, plan }: Query,
  options: RunSqlOptions,
): Promise<SqlResult> {
  if (sql !== undefined) return await executeSql(sql, options);
  const result = await executePlan(parsedPlan(plan), options);
  const rows = await result.all();
  const { engine, sources, durationMs } = result.statistics();
  return {
    columns: result.columns.map(({ name, type }) => ({ name, type: type.kind })),
    rows,
    ranOn: engine ?? sources.map(({ connector }) => connector).join(", "),
    durationMs,
    doubts: [],
  };
}

/** Explains SQL like `explainSql`, or a plan like `explainPlan`. @throws QueryError like these */
export async function explainQuery(
  { sql, plan }: Query,
  options: RunSqlOptions,
): Promise<QueryExplanation> {
  if (sql !== undefined) {
    const explained = await explainSql(sql, options);
    return { ranOn: explained.ranOn, text: explained.sql, diagram: sqlDiagram(explained) };
  }
  const { text, sources, local } = explainPlan(parsedPlan(plan), options);
  if (local.length === 0)
    return { ranOn: sources.map(({ name }) => name).join(", "), text, diagram: { sources } };
  return { ranOn: "DuckDB", text, diagram: { sources, here: { name: "here", steps: local } } };
}

/**
 * Builds the diagram. A statement runs unchanged in one source, or its clauses run in DuckDB over rows from the
 * sources.
 */
function sqlDiagram({ ranOn, tables, steps }: SqlExplanation): QueryExplanation["diagram"] {
  const clauses = steps.map((text) => ({ text }));
  const names = [...new Set(tables.map(({ source }) => source))];
  if (names.length === 1 && names[0] === ranOn)
    return { sources: [{ name: ranOn, steps: clauses }] };
  const sources = names.map((name) => ({
    name,
    steps: tables
      .filter(({ source }) => source === name)
      .map(({ resource, columns }) => ({ text: `${resource}: ${columns.join(", ")}` })),
  }));
  return { sources, here: { name: ranOn, steps: clauses } };
}

function parsedPlan(document: unknown): LogicalPlan {
  const parsed = parseLogicalPlan(document);
  if (parsed.ok) return parsed.value;
  throw invalidQuery(parsed.issues);
}
