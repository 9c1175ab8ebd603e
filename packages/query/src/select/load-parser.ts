import { QueryError } from "../query-error.ts";

/** Reads SQL into the syntax tree of datafusion-sqlparser-rs. Throws where the text is no SQL. */
export type SqlTextParser = (text: string, dialect: string) => unknown;

let loading: Promise<SqlTextParser> | undefined;

/** Loads the parser, a module of WebAssembly, when the first statement comes. @throws QueryError `engine_missing` */
export function loadParser(): Promise<SqlTextParser> {
  loading ??= load();
  return loading;
}

async function load(): Promise<SqlTextParser> {
  try {
    const { dialectFromString, init, parse } = await import("@guanmingchiu/sqlparser-ts");
    await init();
    return (text, dialect) => parse(text, dialectFromString(dialect));
  } catch (cause) {
    loading = undefined;
    const message = "The SQL parser, a module of WebAssembly, could not be loaded.";
    throw new QueryError("engine_missing", message, { cause });
  }
}
