import { quoteIdentifier } from "@ccl/sql";
import { QueryError } from "../query-error.ts";
import type { TableUse } from "./name-scope.ts";
import type { SqlPlan } from "./parse-sql.ts";
import type { TextEdit } from "./resolution.ts";
import { duckDbMacro, strftimeFormat, type SqlMacro, type SqlSpelling } from "./sql-functions.ts";
import { spliced, type SqlToken } from "./sql-tokens.ts";

/** The statement for the database that all of its tables are in: names as they are there. `tableOf` gives SQL. */
export function nativeStatement(plan: SqlPlan, tableOf: (use: TableUse) => string): string {
  const { tables, edits } = plan.resolved;
  return spliced(plan.text, [...tables.map((use) => tableEdit(use, tableOf(use))), ...edits]);
}

/** A table in FROM goes by the name that the statement knows it by. */
function tableEdit({ start, end, isNamed, name }: TableUse, table: string): TextEdit {
  return { start, end, text: isNamed ? table : `${table} AS ${quoteIdentifier(name)}` };
}

/** A statement for DuckDB, and the macros that it calls. */
export interface DuckDbStatement {
  text: string;
  macros: SqlMacro[];
}

/** The statement in DuckDB's words over tables that were loaded. `isLenient`: texts as moments, and numbers as texts, where a function wants them. */
export function duckDbStatement(
  plan: SqlPlan,
  options: {
    spelling: SqlSpelling;
    isLenient: boolean;
    tableOf: (use: TableUse) => string;
  },
): DuckDbStatement {
  const { spelling, isLenient, tableOf } = options;
  const { tables, edits, functions } = plan.resolved;
  const macros = new Map<string, SqlMacro>();
  const called = (name: string): string => {
    const macro = duckDbMacro(name, spelling, isLenient);
    if (macro !== undefined) macros.set(macro.name, macro);
    return macro?.name ?? name;
  };
  const calls = functions.flatMap(({ name, start, end }): TextEdit[] => {
    const text = called(name);
    return text === name ? [] : [{ start, end, text }];
  });
  const { tokens } = plan;
  const words = tokens.flatMap((token, index): TextEdit[] => {
    const next = tokens[index + 1];
    const isExtract =
      token.text === "extract" && next?.text === "(" && tokens[index + 3]?.text === "from";
    if (isExtract && isLenient) return extractEdits(tokens.slice(index), called("date_part"));
    // The parser reads it as syntax, not as a call.
    if (
      isLenient &&
      /^substr(?:ing)?$/.test(token.text) &&
      next?.text === "(" &&
      !hasFrom(tokens, index)
    )
      return [{ start: token.start, end: token.end, text: called("substr") }];
    return tokenEdit(token, { before: tokens[index - 1], next, spelling });
  });
  for (const { name, start } of functions)
    if (name === "to_char" || name === "to_date") words.push(...formatEdits(tokens, start));
  const text = spliced(plan.text, [
    ...tables.map((use) => tableEdit(use, tableOf(use))),
    ...edits,
    ...calls,
    ...words,
  ]);
  return { text, macros: [...macros.values()] };
}

/** True for a call like `substring(x from 2)`. */
function hasFrom(tokens: readonly SqlToken[], at: number): boolean {
  const depth = tokens[at]?.depth ?? 0;
  const end = tokens.findIndex(
    ({ text, depth: own }, index) => index > at && text === ")" && own === depth,
  );
  return tokens.slice(at, end).some(({ text, depth: own }) => text === "from" && own === depth + 1);
}

/** `extract(year from x)` as `part('year', x)`. */
function extractEdits(tokens: readonly SqlToken[], called: string): TextEdit[] {
  const [name, , field, from] = tokens;
  if (name === undefined || field === undefined || from === undefined) return [];
  return [
    { start: name.start, end: name.end, text: called },
    { start: field.start, end: from.end, text: `'${field.text.replaceAll("'", "")}',` },
  ];
}

/** The format of a `to_char` that begins in a place: the text before its closing parenthesis. */
function formatEdits(tokens: readonly SqlToken[], start: number): TextEdit[] {
  const at = tokens.findIndex((token) => token.start === start);
  const depth = tokens[at]?.depth ?? 0;
  const end = tokens.findIndex(
    (token, index) => index > at && token.text === ")" && token.depth === depth,
  );
  const format = tokens[end - 1];
  if (format?.kind !== "text") return [];
  return [{ start: format.start, end: format.end, text: strftimeFormat(format.text) }];
}

interface TokenPlace {
  before: SqlToken | undefined;
  next: SqlToken | undefined;
  spelling: SqlSpelling;
}

const castTypes: Readonly<Record<SqlSpelling, Readonly<Record<string, string>>>> = {
  // Without digits a number is of any size in PostgreSQL, and of 18 digits in DuckDB.
  postgresql: { numeric: "double", decimal: "double", jsonb: "json" },
  sqlite: { real: "double", integer: "bigint", int: "bigint", numeric: "double", text: "varchar" },
  duckdb: {},
};

/** Where one word or operator means something else in DuckDB. */
function tokenEdit(token: SqlToken, { before, next, spelling }: TokenPlace): TextEdit[] {
  const { text, start, end } = token;
  const write = (replaced: string): TextEdit[] => [{ start, end, text: replaced }];
  if (text === "/" && spelling === "duckdb") return write("*1e0/");
  if (text === "like" && spelling === "sqlite") return write("ilike");
  const isPattern = before?.text === "like" || before?.text === "ilike";
  if (token.kind === "text" && isPattern && spelling !== "duckdb" && text.includes("\\"))
    return spelling === "postgresql" ? write(`${text} ESCAPE '\\'`) : [];
  if (/^!?~\*?$/.test(text)) return write(text.startsWith("!") ? "!~" : "~");
  if (token.kind === "text" && /^!?~\*?$/.test(before?.text ?? "")) {
    const flags = before?.text.endsWith("*") === true ? "(?is)" : "(?s)";
    return write(`'${flags}.*(?:${text.slice(1, -1)}).*'`);
  }
  if (/^!?~\*?$/.test(before?.text ?? "")) {
    const message = `After ${before?.text ?? ""} a pattern stands as 'text' here; or call regexp_matches(value, pattern).`;
    throw new QueryError("plan_invalid", message);
  }
  const isType = before?.text === "::" || (before?.text === "as" && next?.text === ")");
  const types = castTypes[spelling];
  const type = Object.hasOwn(types, text) ? types[text] : undefined;
  if (
    isType &&
    token.depth + (before.text === "::" ? 1 : 0) > 0 &&
    next?.text !== "(" &&
    type !== undefined
  )
    return write(type);
  return [];
}
