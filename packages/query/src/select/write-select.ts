import { quoteIdentifier } from "@ccl/sql";
import { QueryError } from "../query-error.ts";
import type { TableUse } from "./name-scope.ts";
import type { SqlPlan } from "./parse-sql.ts";
import type { TextEdit } from "./resolution.ts";
import { castEdits } from "./cast-edits.ts";
import { strftimeFormat, type SqlSpelling } from "./sql-functions.ts";
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

/** The statement for DuckDB over tables that were loaded, where `dialectMeaning` gives its words their meaning. */
export function duckDbStatement(
  plan: SqlPlan,
  { spelling, tableOf }: { spelling: SqlSpelling; tableOf: (use: TableUse) => string },
): string {
  const { tokens } = plan;
  const { tables, edits, functions, unkept } = plan.resolved;
  if (unkept.length > 0 && spelling !== "duckdb")
    throw new QueryError("plan_invalid", `DuckDB runs this statement, where ${unkept[0]}.`);
  const words = spelling === "postgresql" ? similarEdits(tokens) : [];
  for (const { name, start, end, arguments: count } of functions) {
    if (name === "to_char" || name === "to_date") words.push(...formatEdits(tokens, start));
    // DuckDB's parser takes them for types.
    if (/^(?:char|time|datetime)$/.test(name)) words.push({ start, end, text: `"${name}"` });
    if (name === "date" && spelling === "sqlite") words.push({ start, end, text: "sqlite_date" });
    const several = count > 1 ? scalarExtremes.get(name) : undefined;
    if (several !== undefined) words.push({ start, end, text: several });
  }
  return spliced(plan.text, [
    ...castEdits(tokens, spelling),
    ...tables.map((use) => tableEdit(use, tableOf(use))),
    ...edits,
    ...words,
  ]);
}

/** SQLite's aggregates are functions of one row where they have several arguments. */
const scalarExtremes: ReadonlyMap<string, string> = new Map([
  ["max", "greatest"],
  ["min", "least"],
]);

/** `similar to 'a%'` as a match of a regular expression, which DuckDB means by both. */
function similarEdits(tokens: readonly SqlToken[]): TextEdit[] {
  return tokens.flatMap((token, index): TextEdit[] => {
    const [to, pattern] = tokens.slice(index + 1, index + 3);
    if (token.text !== "similar" || to?.text !== "to") return [];
    if (pattern?.kind !== "text")
      throw new QueryError(
        "plan_invalid",
        "After SIMILAR TO a pattern stands as 'text' here; or call regexp_matches(value, pattern).",
      );
    const inner = pattern.text.slice(1, -1).replaceAll("%", ".*").replaceAll("_", ".");
    return [{ start: token.start, end: pattern.end, text: `~ '^(?:${inner})$'` }];
  });
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
