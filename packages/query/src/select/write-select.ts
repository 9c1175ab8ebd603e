import { quoteIdentifier } from "@ccl/sql";
import { QueryError } from "../query-error.ts";
import type { TableUse } from "./name-scope.ts";
import type { SqlPlan } from "./parse-sql.ts";
import type { TextEdit } from "./resolution.ts";
import { castEdits } from "./cast-edits.ts";
import { strftimeFormat, type SqlSpelling } from "./sql-functions.ts";
import type { Token } from "../parse/tokenize.ts";
import { closingAfter, spliced } from "./sql-tokens.ts";

/**
 * Writes the statement for the database that has all its tables, using that database's names. `tableOf` returns
 * SQL.
 */
export function nativeStatement(plan: SqlPlan, tableOf: (use: TableUse) => string): string {
  const { tables, edits } = plan.resolved;
  return spliced(plan.text, [...tables.map((use) => tableEdit(use, tableOf(use))), ...edits]);
}

/** Replaces a table in FROM, keeping the name that the statement uses. */
function tableEdit({ start, end, isNamed, name }: TableUse, table: string): TextEdit {
  return { start, end, text: isNamed ? table : `${table} AS ${quoteIdentifier(name)}` };
}

/** Writes the statement for DuckDB over loaded tables. `dialectMeaning` defines its functions and operators. */
export function duckDbStatement(
  plan: SqlPlan,
  { spelling, tableOf }: { spelling: SqlSpelling; tableOf: (use: TableUse) => string },
): string {
  const { tokens } = plan;
  const { tables, edits, functions, differences, roundedCasts, ...adapting } = plan.resolved;
  const lost = differences.find(({ dialect = spelling }) => dialect === spelling);
  if (lost !== undefined && spelling !== "duckdb")
    throw new QueryError("plan_invalid", `DuckDB would read this differently: ${lost.reason}.`);
  const isPostgres = spelling === "postgresql";
  const words = isPostgres ? [...similarEdits(tokens), ...adapting.postgresEdits] : [];
  for (const { name, start, end, arguments: count } of functions) {
    if (name === "to_char" || name === "to_date") words.push(...formatEdits(tokens, start));
    // DuckDB's parser reads these as types.
    if (/^(?:char|time|datetime)$/.test(name)) words.push({ start, end, text: `"${name}"` });
    if (name === "date" && spelling === "sqlite") words.push({ start, end, text: "sqlite_date" });
    const first = tokens[tokens.findIndex((token) => token.start === start) + 2]?.text;
    if (name === "strftime" && spelling === "sqlite" && first === "'%s'")
      words.push({ start, end, text: "strftime_seconds" });
    // With several arguments, SQLite's aggregates are scalar functions.
    if (count > 1 && name === "max") words.push({ start, end, text: "greatest" });
    if (count > 1 && name === "min") words.push({ start, end, text: "least" });
  }
  return spliced(plan.text, [
    ...adapting.duckDbEdits,
    ...castEdits(tokens, spelling, roundedCasts),
    ...tables.map((use) => tableEdit(use, tableOf(use))),
    ...edits,
    ...words,
  ]);
}

/** Rewrites `similar to` as an operator macro, because DuckDB's SIMILAR TO expects regular expressions. */
function similarEdits(tokens: readonly Token[]): TextEdit[] {
  return tokens.flatMap((token, index): TextEdit[] => {
    const [before, to] = [tokens[index - 1], tokens[index + 1]];
    if (token.text !== "similar" || to?.text !== "to") return [];
    const isNegated = before?.text === "not";
    const { start } = isNegated ? before : token;
    return [{ start, end: to.end, text: isNegated ? "!~~~" : "~~~" }];
  });
}

/** Rewrites the format of the `to_char` at `start`: the text before its closing parenthesis. */
function formatEdits(tokens: readonly Token[], start: number): TextEdit[] {
  const at = tokens.findIndex((token) => token.start === start);
  const format = tokens[closingAfter(tokens, at) - 1];
  if (format?.kind !== "text") return [];
  const text = strftimeFormat(format.text);
  if (text !== undefined) return [{ start: format.start, end: format.end, text }];
  const reason = `the format ${format.text.slice(0, 60)} has a part other than YYYY, MM, DD, HH24, HH12, AM, MI, SS, Month, FMMonth, Mon, Day, FMDay, Dy, DDD, IW, YY and Q`;
  throw new QueryError("plan_invalid", `DuckDB would read this differently: ${reason}.`);
}
