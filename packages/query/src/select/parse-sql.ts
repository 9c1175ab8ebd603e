import { countOperators, loadSqlParser, maxOperators, type SqlParser } from "@ccl/sql/parse";
import type { ResourceDetails } from "@ccl/catalog";
import { failure, type Issue, type Result } from "@ccl/core";
import { visibleResources, type AccessOptions } from "../validate/visible-resources.ts";
import { Resolution, type ResolvedSelect } from "./resolution.ts";
import { SelectResolver } from "./resolve-select.ts";
import type { SqlSpelling } from "./sql-functions.ts";
import { tokenize, type Token } from "../parse/tokenize.ts";
import { itemTexts, withoutComments } from "./sql-tokens.ts";
import { statementText } from "./statement-text.ts";
import { SyntaxPlaces } from "./syntax-places.ts";
import { TableNames } from "./table-names.ts";

/** Options for checking a statement. */
export interface ParseSqlOptions extends AccessOptions {
  /** Tables that the statement may read, as shown by the catalog. */
  details: Iterable<ResourceDetails>;
  /**
   * Determines how `like`, integer `/` and others behave. Defaults to the dialect of the source or of the
   * functions that the statement calls.
   */
  dialect?: SqlSpelling | undefined;
}

/** A SELECT that has been checked against the catalog. Run it with `runSql`. */
export interface SqlPlan {
  /** The statement without comments. */
  text: string;
  /** Catalog tables that the statement reads, without duplicates, with the columns that it needs. */
  tables: { resource: string; columns: string[] }[];
  /** Databases that understand the statement unchanged. */
  dialects: SqlSpelling[];
  /** Results of the checks that `runSql` needs. */
  readonly resolved: ResolvedSelect;
  readonly tokens: readonly Token[];
}

const maxCharacters = 100_000;
const parsers = ["postgresql", "duckdb", "sqlite", "generic"];
/** Limits the SELECTs in WITH and UNION. While they are checked and planned, the deadline cannot take effect. */
const maxSelects = 100;
/** For longer statements, the event loop gets a turn between stages, so that a deadline can take effect. */
const longCharacters = 4_000;

/**
 * Parses and checks one SELECT in PostgreSQL, SQLite or DuckDB syntax. It may read only tables and columns in
 * `details` and call only functions without side effects. Settings, files, system tables, writes and a second
 * statement are rejected. Issues name the nearest table, column or function and list existing ones. Codes:
 * `syntax_invalid`, `statement_refused`, `resource_unknown`, `column_unknown`, `function_unknown`,
 * `type_mismatch`, `limit_exceeded`.
 * @throws SqlError `no_parser`
 */
export async function parseSql(text: string, options: ParseSqlOptions): Promise<Result<SqlPlan>> {
  if (text.length > maxCharacters)
    return refused("limit_exceeded", `The statement has more than ${maxCharacters} characters.`);
  const statement = statementText(text.replace(/\r\n?/g, "\n"));
  const plain = withoutComments(statement).replace(/[\s;]+$/, "");
  if (countOperators(plain) > maxOperators)
    return refused(
      "limit_exceeded",
      `The statement has more than ${maxOperators} operators; write long lists with IN.`,
    );
  const tokens = tokenize(plain, { hasComments: true });
  const selects = tokens.filter(({ text: word }) => word === "select" || word === "values").length;
  if (selects > maxSelects)
    return refused("limit_exceeded", `The statement has more than ${maxSelects} SELECTs.`);
  const turn = (): Promise<void> | undefined =>
    plain.length > longCharacters ? new Promise((resolve) => setTimeout(resolve, 0)) : undefined;
  const parser = await loadSqlParser();
  await turn();
  // `[name]` is a name in SQLite and a list in DuckDB. After another name or value, it is an index.
  const hasBrackets = tokens.some(({ kind, text: name, start }, at) => {
    const before = tokens[at - 1];
    const isIndex = before?.end === start && /[^(,.=<>+*/-]$/.test(before.text);
    return kind === "quoted" && name.startsWith("[") && !isIndex;
  });
  const order = hasBrackets && options.dialect !== "duckdb" ? ["sqlite", ...parsers] : parsers;
  const tree = await syntaxTree(plain, { parser, order, turn });
  if (typeof tree === "string") return refused("syntax_invalid", tree);
  if (tree.length !== 1)
    return refused("statement_refused", `Write one SELECT, not ${tree.length} statements.`);
  const strange = tokens.find(
    ({ kind, text: piece }) =>
      (kind === "text" && !piece.startsWith("'")) ||
      (kind === "symbol" && "$?:@#\\`;".includes(piece)),
  );
  if (strange !== undefined)
    return refused(
      "statement_refused",
      `${JSON.stringify(strange.text.slice(0, 40))} is not supported: write strings as 'text', and values instead of parameters.`,
    );
  const visible = visibleResources(options.details, options);
  const names = new TableNames(visible.values());
  const resolution = new Resolution(names, new SyntaxPlaces(plain, tokens), options.dialect);
  new SelectResolver(resolution, (start) => itemTexts(plain, tokens, start)).statement(tree[0]);
  await turn();
  const resolved = resolution.result;
  const [first, ...others] = resolved.issues;
  if (first !== undefined) return failure(first, ...others);
  return {
    ok: true,
    value: {
      text: plain,
      tables: neededColumns(resolved),
      dialects: [...resolved.spellings],
      resolved,
      tokens,
    },
  };
}

function refused(code: string, message: string): Result<SqlPlan> {
  const issue: Issue = { code, path: [], message };
  return failure(issue);
}

/** Returns the statements in a text, or the reason why it cannot be parsed. */
async function syntaxTree(
  text: string,
  {
    parser,
    order,
    turn,
  }: { parser: SqlParser; order: readonly string[]; turn: () => Promise<void> | undefined },
): Promise<readonly unknown[] | string> {
  let reason: string | undefined;
  for (const dialect of order) {
    try {
      const tree = parser.parse(text, dialect);
      return Array.isArray(tree) ? tree : [];
    } catch (error) {
      reason ??= error instanceof Error ? error.message : String(error);
    } finally {
      await turn();
    }
  }
  return `The SQL could not be read: ${(reason ?? "").replace(/^sql parser error: /i, "").slice(0, 200)}`;
}

function neededColumns({ tables }: ResolvedSelect): SqlPlan["tables"] {
  const needed = new Map<string, Set<string>>();
  for (const { resource, columns, isWhole } of tables) {
    const known = needed.get(resource.id) ?? new Set();
    const names = isWhole ? (resource.columns ?? []).map(({ name }) => name) : columns;
    for (const name of names) known.add(name);
    needed.set(resource.id, known);
  }
  return [...needed].map(([resource, columns]) => ({ resource, columns: [...columns] }));
}
