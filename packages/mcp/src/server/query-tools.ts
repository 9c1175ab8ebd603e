import type { TokenCounter } from "@ccl/core";

import type { CatalogReader } from "./catalog-tools.ts";
import type { QueryCall, QuerySource } from "./run-query.ts";
import { readingTool, type ServerTool, type ServerToolCall } from "./server-tool.ts";
import type { Opener } from "./source.ts";

/** What the query tools need besides the sources. */
export interface QueryToolsOptions {
  catalog: Opener<CatalogReader>;
  counter: Opener<TokenCounter>;
  /** Stores rows that do not fit into the answer. */
  store?: QueryCall["store"];
}

const sql = {
  type: "string",
  description:
    "one SELECT over titles of the catalog, as in DuckDB: select city, count(*) n from places group by city",
};
const plan = { type: "string", description: "scan(id)→filter(a='x')→agg(day, sum(b) as total)" };

/**
 * Creates `query_explain` and `query_run`. They run read-only SQL or plans over the catalogued
 * resources.
 */
export function queryTools(
  open: Opener<QuerySource>,
  { catalog, counter, store }: QueryToolsOptions,
): ServerTool[] {
  const callOf = async ({ signal, sessionId }: ServerToolCall): Promise<QueryCall> => ({
    ...(await open()),
    catalog: await catalog(),
    counter: await counter(),
    store,
    sessionId,
    signal,
  });
  return [
    readingTool(
      {
        name: "query_explain",
        title: "Explain a query",
        description: "Checks what query_run would run, and says which source does what.",
        properties: { sql: { type: "string" }, plan: { type: "string" } },
      },
      async (input, call) => {
        const { explainQuery } = await import("./run-query.ts");
        return explainQuery(input, await callOf(call));
      },
    ),
    readingTool(
      {
        name: "query_run",
        title: "Query the catalog",
        description:
          "Runs SQL or a plan, read only. Gives the rows that fit, how many there are, and a handle of all of them.",
        properties: { sql, plan, limit: { type: "integer", minimum: 1 } },
      },
      async (input, call) => {
        const { runQuery } = await import("./run-query.ts");
        return runQuery(input, await callOf(call));
      },
    ),
  ];
}
