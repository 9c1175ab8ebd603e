import type { QueryEngine } from "../connector/connector.ts";
import { QueryError } from "../query-error.ts";

/** The caller's engine, or DuckDB, opened on first use. */
export interface SharedEngine {
  /** @throws QueryError `engine_missing` with the reason */
  open(reason: string): Promise<QueryEngine>;
  /** Closes DuckDB. The caller's engine stays open. */
  close(): Promise<void>;
}

/** Shares one engine between a query and the follow-up statements about its result. */
export function sharedEngine(given: QueryEngine | undefined): SharedEngine {
  let opening: Promise<QueryEngine> | undefined;
  return {
    open: async (reason) => given ?? (await (opening ??= openDuckDb(reason))),
    async close() {
      await opening?.then((engine) => engine.close()).catch(() => {});
    },
  };
}

async function openDuckDb(reason: string): Promise<QueryEngine> {
  try {
    const { openDuckDbEngine } = await import("../duckdb/open-duckdb-engine.ts");
    return await openDuckDbEngine();
  } catch (cause) {
    if (!QueryError.isInstance(cause) || cause.code !== "engine_missing") throw cause;
    const message = `This query needs DuckDB, since ${reason}: npm install @duckdb/node-api`;
    throw new QueryError("engine_missing", message, { cause });
  }
}
