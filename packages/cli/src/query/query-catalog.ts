import type { CatalogFolder, FolderContent } from "@ccl/catalog/node";
import type { ResourceDetails } from "@ccl/catalog";
import {
  executePlan,
  executeSql,
  explainPlan,
  explainSql,
  parseLogicalPlan,
  QueryError,
  type PlanRow,
  type RunSqlOptions,
  type SqlExplanation,
} from "@ccl/query";

import { openConnectors, type ConnectorPlace } from "./open-connectors.ts";

/** A query over a catalog folder: SQL, or the text of a query plan. */
export interface CatalogQuery {
  sql?: string | undefined;
  plan?: string | undefined;
  dialect?: RunSqlOptions["dialect"];
  limits?: RunSqlOptions["limits"];
  signal?: AbortSignal | undefined;
}

/** The result of a query. */
export interface QueryAnswer {
  columns: { name: string; type?: string | undefined }[];
  rows: PlanRow[];
  ranOn: string;
  durationMs: number;
  /** Rows without the statement's own LIMIT, where that cut some. */
  total?: number | undefined;
  /** What is odd in the statement, beside its rows. */
  doubts?: string[] | undefined;
}

/** Steps that run in one place, in order. */
interface QueryPlace {
  name: string;
  steps: { text: string; rows?: number | undefined }[];
  rows?: number | undefined;
}

/** Where each part of a query would run. */
interface ExplainedQuery {
  ranOn: string;
  text: string;
  /** The steps of each source, and those on their results. `here` is absent if one source runs everything. */
  diagram: { sources: QueryPlace[]; here?: QueryPlace | undefined };
}

/** The catalog of a project's folder, open for many queries. */
export interface QueryableCatalog {
  /** Runs a query and returns its rows. */
  run(query: CatalogQuery): Promise<QueryAnswer>;
  /** Says where each part of a query would run, and in which form. */
  explain(query: CatalogQuery): Promise<ExplainedQuery>;
  close(): Promise<void>;
}

/** Opens what the catalog's sources need. `details` are the records that may be read. All by default. */
export async function openQueryableCatalog(
  place: ConnectorPlace,
  read: { folder: CatalogFolder; content: FolderContent },
  options: { details?: readonly ResourceDetails[] | undefined; signal: AbortSignal },
): Promise<QueryableCatalog> {
  const details = options.details ?? read.content.records.map(({ record }) => record);
  const sources = await read.folder.readSources(read.content, { signal: options.signal });
  const { connectors, close } = await openConnectors(place, sources);
  return {
    close,
    async run({ sql, plan, ...running }) {
      if (plan === undefined)
        return await executeSql(sql ?? "", { details, connectors, ...running });
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
