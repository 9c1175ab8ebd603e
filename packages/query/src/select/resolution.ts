import { isAbsent, listOf, nodeOf, type SyntaxNode } from "@ccl/sql/parse";
import { quoteIdentifier } from "@ccl/sql";
import type { Issue } from "@ccl/core";
import { nearestHint, quotedName } from "../plan/nearest-name.ts";
import {
  findColumn,
  type ColumnOrigin,
  type NameScope,
  type Reads,
  type RowSource,
  type SourceColumn,
  type TableUse,
  type ValueKind,
} from "./name-scope.ts";
import type { SqlSpelling } from "./sql-functions.ts";
import type { Identifier, SyntaxPlaces } from "./syntax-places.ts";
import type { TableNames } from "./table-names.ts";

/** A text edit that is valid for every database. Without an `end`, it inserts the text. */
export interface TextEdit {
  start: number;
  end?: number | undefined;
  text: string;
}

/** A comparison of a column with literals, anywhere in a statement. */
export interface Comparison extends ColumnOrigin {
  /** `lower` or `upper`, if applied to the column. */
  call?: string | undefined;
  /** The operator as written in SQL: `=`, `<>`, `<`, `like`. */
  operator: string;
  /** Literals as written in the text: `'paid'`, `2024`. */
  literals: string[];
}

/** Two columns that a statement compares for equality. */
export interface KeyPair {
  left: ColumnOrigin;
  right: ColumnOrigin;
}

/** What a statement reads and calls. */
export interface ResolvedSelect {
  tables: TableUse[];
  functions: { name: string; arguments: number; start: number; end: number }[];
  edits: TextEdit[];
  /** Names of the result columns. Undefined for expressions without an alias. */
  columns: (string | undefined)[];
  /** True for columns from a `*`. PostgreSQL returns columns merged by USING before the others. */
  isOfStar: boolean[];
  /** Comparisons that all rows must meet. Used to filter a table before loading it. */
  conditions: Comparison[];
  comparisons: Comparison[];
  keyPairs: KeyPair[];
  /** Databases that understand the statement unchanged. */
  spellings: Set<SqlSpelling>;
  isRecursive: boolean;
  /** Parts that DuckDB interprets differently from other databases or from `dialect`, with what to write instead. */
  differences: { reason: string; dialect: SqlSpelling | undefined }[];
  /** Edits that adapt a PostgreSQL statement to DuckDB's types. */
  postgresEdits: TextEdit[];
  /** Edits for DuckDB, regardless of the dialect. */
  duckDbEdits: TextEdit[];
  /** Positions of `as` or `::` in casts to whole numbers that PostgreSQL rounds half away from zero. */
  roundedCasts: Set<number>;
  issues: Issue[];
}

/** A column in a query's result. */
interface Output {
  name?: string | undefined;
  isOfStar?: boolean | undefined;
  kind?: ValueKind | undefined;
  origin?: ColumnOrigin | undefined;
}

/** Columns in a query's result, in order. */
export type Outputs = readonly Output[];

/** The result of a query. */
export interface QueryRows {
  outputs: Outputs;
  /** What the query reads. Undefined for a single table. */
  reads?: Reads | undefined;
}

export type CommonTables = ReadonlyMap<string, QueryRows>;

/** Context in which a query is resolved. */
export interface QueryContext {
  common: CommonTables;
  outer: NameScope | undefined;
}

/** Context in which an expression is resolved. */
export interface Place {
  scope: NameScope;
  common: CommonTables;
  /** Result column names, in clauses where they can be used instead of columns. */
  results?: { columns: RowSource["columns"]; onUse: () => void } | undefined;
}

/** Reads a subquery. */
export type ReadQuery = (query: unknown, context: QueryContext) => QueryRows;

const reservedInDuckDb =
  /^(?:anti|asof|at|by|columns|describe|generated|glob|lambda|map|pivot|placing|positional|qualify|semi|show|struct|summarize|unpack|unpivot)$/i;

/** Collects what the check learns about a statement. */
export class Resolution {
  readonly result: ResolvedSelect = {
    tables: [],
    functions: [],
    edits: [],
    columns: [],
    isOfStar: [],
    conditions: [],
    comparisons: [],
    keyPairs: [],
    spellings: new Set<SqlSpelling>(["postgresql", "sqlite", "duckdb"]),
    isRecursive: false,
    differences: [],
    postgresEdits: [],
    duckDbEdits: [],
    roundedCasts: new Set(),
    issues: [],
  };
  readonly tables: TableNames;
  readonly places: SyntaxPlaces;
  /** WITH names whose queries are being read, outermost first. */
  readonly namesBeingRead: string[] = [];

  /** Kinds determined so far, by tree node. */
  readonly kinds: Map<object, ValueKind | "unknown"> = new Map();
  readonly outputs: Map<object, Outputs> = new Map();
  /** Comparisons by the content of their tree node. */
  readonly comparisonAt: Map<object, Comparison> = new Map();
  /** Number of tables read so far. */
  readCount = 0;

  /** Dialect passed by the caller. */
  readonly dialect: SqlSpelling | undefined;

  constructor(tables: TableNames, places: SyntaxPlaces, dialect: SqlSpelling | undefined) {
    this.tables = tables;
    this.places = places;
    this.dialect = dialect;
  }

  refuse(message: string, code = "statement_refused"): void {
    if (this.result.issues.length < 20) this.result.issues.push({ code, path: [], message });
  }

  /** Adds what DuckDB would read differently in a dialect, or in every other one, and what to write instead. */
  differs(reason: string, dialect?: SqlSpelling): void {
    this.result.differences.push({ reason, dialect });
  }

  only(...databases: readonly SqlSpelling[]): void {
    for (const spelling of this.result.spellings)
      if (!databases.includes(spelling)) this.result.spellings.delete(spelling);
  }

  /** Rejects other fields unless they are empty: locks, hints, INTO and anything a later parser adds. */
  onlyMembers(node: SyntaxNode, known: readonly string[], what: string): void {
    for (const [name, value] of Object.entries(node)) {
      if (known.includes(name) || isAbsent(value) || name.endsWith("_token")) continue;
      this.refuse(`${what} may have no ${wordsOf(name)}.`);
    }
  }

  /** Returns the catalog column that an expression names, or undefined for other expressions. */
  originOf(value: unknown, { scope }: Place): ColumnOrigin | undefined {
    const path = this.places.column(value);
    const found = findColumn(scope, path.at(-2)?.value, path.at(-1)?.value ?? "");
    return found === "several" ? undefined : found?.origin;
  }

  nameOfExpression(value: unknown): string | undefined {
    return this.places.column(value).at(-1)?.value;
  }

  unknownTable(path: readonly Identifier[], scope: NameScope | undefined): void {
    const wanted = path.map(({ value }) => value).join(".");
    const names = scope?.sources.flatMap(({ name }) => name ?? []) ?? this.tables.all();
    this.refuse(
      `There is no table ${quotedName(wanted)}${hint(path.at(-1)?.value ?? wanted, names)}`,
      "resource_unknown",
    );
  }

  derived(alias: unknown, { outputs, reads }: QueryRows): RowSource {
    const name = this.places.identifier(nodeOf(alias)["name"]);
    if (name !== undefined) this.requote(name);
    return {
      name: name?.value.toLowerCase(),
      reads,
      columns: columnsOf(renamed(outputs, this.aliasColumns(alias))),
    };
  }

  aliasColumns(alias: unknown): string[] {
    return listOf(alias, "columns").flatMap((entry) => {
      const name = this.places.identifier(nodeOf(entry)["name"]);
      if (name !== undefined) this.requote(name);
      return name === undefined ? [] : [name.value];
    });
  }

  /** Rewrites names that are in double quotes or another database's quotes. */
  requote({ value, quote, start, end }: Identifier): void {
    const edit = { start, end, text: quoteIdentifier(value) };
    if (quote !== undefined && quote !== '"') this.result.edits.push(edit);
    if (quote === undefined && reservedInDuckDb.test(value)) this.result.duckDbEdits.push(edit);
  }
}

/** Renames the outputs by an alias. */
export function renamed(outputs: Outputs, names: readonly string[]): Outputs {
  return outputs.map((output, index) => ({ ...output, name: names[index] ?? output.name }));
}

/** Returns the columns of a query's result. */
export function columnsOf(outputs: Outputs): RowSource["columns"] {
  const columns = new Map<string, SourceColumn>();
  for (const { name, kind, origin } of outputs)
    if (name !== undefined) columns.set(name.toLowerCase(), { name, kind, origin });
  return columns;
}

/** Splits a name from the parser into words. */
export function wordsOf(name: string): string {
  return name
    .replaceAll("_", " ")
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase()
    .slice(0, 60);
}

/** Returns a hint with the nearest name and the existing ones. */
export function hint(wanted: string, names: readonly string[]): string {
  const nearest = nearestHint(wanted, names);
  if (names.length === 0) return `.${nearest}`;
  const shown = names.slice(0, 40).join(", ");
  return `.${nearest} There is: ${shown}${names.length > 40 ? `, and ${names.length - 40} more` : ""}.`;
}
