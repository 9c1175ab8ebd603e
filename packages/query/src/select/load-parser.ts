import type { SqlParser } from "@ccl/catalog/verify";
import { QueryError } from "../query-error.ts";

let loading: Promise<SqlParser> | undefined;

/** Loads the parser, a module of WebAssembly, when the first statement comes. @throws QueryError `engine_missing` */
export function loadParser(): Promise<SqlParser> {
  loading ??= import("@ccl/catalog/verify")
    .then(({ loadSqlParser }) => loadSqlParser())
    .catch((cause: unknown) => {
      loading = undefined;
      const message = "The SQL parser, a module of WebAssembly, could not be loaded.";
      throw new QueryError("engine_missing", message, { cause });
    });
  return loading;
}
