import type { InspectorSource } from "@ccl/inspector";
import {
  executePlan,
  executeSql,
  explainPlan,
  explainSql,
  parseLogicalPlan,
  QueryError,
  type RunSqlOptions,
  type SqlExplanation,
  type SqlResult,
} from "@ccl/query";

import type { ReadCatalog } from "../catalog/read-catalog.ts";
import type { Session } from "../session.ts";
import { openConnectors } from "./open-connectors.ts";

/** A query over a catalog folder: SQL, or the text of a query plan. */
export interface CatalogQuery {
  sql?: string | undefined;
  plan?: string | undefined;
  limits?: RunSqlOptions["limits"];
  signal?: AbortSignal | undefined;
}

/** The result of a query. */
export interface QueryAnswer extends Omit<SqlResult, "columns" | "doubts"> {
  columns: { name: string; type?: string | undefined }[];
  /** Absent for a query plan. */
  doubts?: string[] | undefined;
}

type QueryView = Awaited<ReturnType<NonNullable<InspectorSource["query"]>>>;

/** Where each part of a query would run. */
interface ExplainedQuery {
  ranOn: string;
  text: string;
  diagram: QueryView["diagram"];
}

/** The catalog of a project's folder, open for many queries. */
export interface QueryableCatalog {
  /** Runs a query and returns its rows. */
  run(query: CatalogQuery): Promise<QueryAnswer>;
  /** Says where each part of a query would run, and in which form. */
  explain(query: CatalogQuery): Promise<ExplainedQuery>;
  close(): Promise<void>;
}

/** Opens what the catalog's sources need. */
export async function openQueryableCatalog(
  session: Session,
  { folder, content, records: details }: ReadCatalog,
): Promise<QueryableCatalog> {
  const sources = await folder.readSources(content, session);
  const { connectors, close } = await openConnectors(session, sources);
  return {
    close,
    async run({ sql, plan, ...running }) {
      if (plan === undefined) return executeSql(sql ?? "", { details, connectors, ...running });
      const parsed = parsedPlan(plan);
      const { limits, signal } = running;
      const result = await executePlan(parsed, { details, connectors, limits, signal });
      const rows = await result.all();
      const { engine, sources: read, durationMs } = result.statistics();
      return {
        columns: result.columns.map(({ name, type }) => ({ name, type: type.kind })),
        rows,
        ranOn: engine ?? read.map(({ connector }) => connector).join(", "),
        durationMs,
      };
    },
    async explain({ sql, plan, ...running }) {
      if (plan === undefined) {
        const explained = await explainSql(sql ?? "", { details, connectors, ...running });
        return { ranOn: explained.ranOn, text: explained.sql, diagram: sqlDiagram(explained) };
      }
      const { text, sources, local } = explainPlan(parsedPlan(plan), { details, connectors });
      const here = local.length === 0 ? undefined : { name: "here", steps: local };
      return { ranOn: "a plan", text, diagram: { sources, here } };
    },
  };
}

/** A statement runs unchanged in one source, or its clauses run in DuckDB over rows from the sources. */
function sqlDiagram({ ranOn, tables, steps }: SqlExplanation): ExplainedQuery["diagram"] {
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

function parsedPlan(text: string): Parameters<typeof executePlan>[0] {
  const parsed = parseLogicalPlan(text);
  if (parsed.ok) return parsed.value;
  const reasons = parsed.issues.slice(0, 3).map(({ message }) => message);
  throw new QueryError("plan_invalid", reasons.join("\n"), { details: { issues: parsed.issues } });
}
