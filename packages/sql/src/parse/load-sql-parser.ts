import { loadOnce } from "@ccl/core/async";

import { SqlError } from "../sql-error.ts";
import { countOperators, maxOperators } from "./count-operators.ts";

/** An SQL parser. `dialect` is a dialect name from datafusion-sqlparser-rs, such as `postgresql` or `generic`. */
export interface SqlParser {
  /**
   * Returns datafusion-sqlparser-rs's syntax tree, a list of statements. Throws if the text is not valid SQL, and
   * `invalid_input` if it has more than `maxOperators` operators.
   */
  parse(sql: string, dialect: string): unknown;
}

/**
 * Loads the parser, a WebAssembly module, on the first call. Requires `@guanmingchiu/sqlparser-ts`.
 * @throws SqlError `no_parser`
 */
export const loadSqlParser: () => Promise<SqlParser> = loadOnce(async () => {
  try {
    const { dialectFromString, init, parse } = await import("@guanmingchiu/sqlparser-ts");
    await init();
    // Compile the module now, so that a deadline can take effect before a statement is parsed.
    parse("select 1", dialectFromString("generic"));
    return {
      parse(sql, dialect) {
        if (countOperators(sql) > maxOperators)
          throw new SqlError("invalid_input", `More than ${maxOperators} operators.`);
        return parse(sql, dialectFromString(dialect));
      },
    };
  } catch (cause) {
    const message =
      "The SQL parser could not be loaded. It needs WebAssembly and the package @guanmingchiu/sqlparser-ts.";
    throw new SqlError("no_parser", message, { cause });
  }
});
