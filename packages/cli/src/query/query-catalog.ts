import {
  executeQuery,
  explainQuery,
  type Query,
  type QueryExplanation,
  type RunSqlOptions,
  type SqlResult,
} from "@ccl/query";

import type { ReadCatalog } from "../catalog/read-catalog.ts";
import type { Session } from "../session.ts";
import { openConnectors } from "./open-connectors.ts";

/** A query over a catalog folder, and how it runs. */
export type CatalogQuery = Query & Pick<RunSqlOptions, "limits" | "signal">;

/** The catalog of a project's folder, open for many queries. */
export interface QueryableCatalog {
  /** Runs a query and returns its rows. */
  run(query: CatalogQuery): Promise<SqlResult>;
  /** Explains where each part of a query would run, and in what form. */
  explain(query: CatalogQuery): Promise<QueryExplanation>;
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
    run: (query) => executeQuery(query, { details, connectors, ...query }),
    explain: (query) => explainQuery(query, { details, connectors, ...query }),
  };
}
