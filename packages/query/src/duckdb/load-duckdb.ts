import { QueryError } from "../query-error.ts";
import type { DuckDbModule } from "./duckdb-values.ts";

/** Loads the optional peer dependency. @throws QueryError `engine_missing` if it is not installed */
export async function loadDuckDb(): Promise<DuckDbModule> {
  try {
    return await import("@duckdb/node-api");
  } catch (error) {
    throw new QueryError(
      "engine_missing",
      "@duckdb/node-api is not there; install it beside @ccl/query.",
      {
        cause: error,
      },
    );
  }
}
