import type { SqlParser } from "@ccl/catalog/verify";
import { loadOnce } from "@ccl/core/async";

import { QueryError } from "../query-error.ts";

/** Loads the WebAssembly parser at the first statement. @throws QueryError `engine_missing` */
export const loadParser: () => Promise<SqlParser> = loadOnce(async () => {
  try {
    const { loadSqlParser } = await import("@ccl/catalog/verify");
    const parser = await loadSqlParser();
    // Compile the module now, so that a deadline can take effect before a statement is parsed.
    parser.parse("select 1", "generic");
    return parser;
  } catch (cause) {
    const message = "The SQL parser, a module of WebAssembly, could not be loaded.";
    throw new QueryError("engine_missing", message, { cause });
  }
});
