import { quoteIdentifier } from "@ccl/sql";
import type { Issue } from "@ccl/core";
import { nearestName } from "../plan/nearest-name.ts";
import { quotedName } from "../validate/check-context.ts";
import type { NameScope, RowSource, TableUse, ValueKind } from "./name-scope.ts";
import type { SqlSpelling } from "./sql-functions.ts";
import {
  isAbsent,
  listOf,
  nodeOf,
  type Identifier,
  type SyntaxNode,
  type SyntaxPlaces,
} from "./syntax-tree.ts";
import type { TableNames } from "./table-names.ts";

/** A change of the text that holds for every database. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

/** A condition on one column that all rows of a statement meet: what a table may be filtered by before it is loaded. */
export interface KnownCondition {
  table: TableUse;
  column: string;
  operator: string;
  literal: unknown;
}

/** What a statement reads and calls. */
export interface ResolvedSelect {
  tables: TableUse[];
  functions: { name: string; arguments: number; start: number; end: number }[];
  edits: TextEdit[];
  /** Names of the result's columns; undefined where its text is all there is. */
  columns: (string | undefined)[];
  conditions: KnownCondition[];
  /** The databases that understand the statement as it stands. */
  spellings: Set<SqlSpelling>;
  isRecursive: boolean;
  /** What DuckDB would not mean as other databases do, or as one of them, and what to write. */
  unkept: { reason: string; dialect?: SqlSpelling }[];
  /** Changes of a statement of PostgreSQL for DuckDB, where the types of the two differ. */
  postgresEdits: TextEdit[];
  /** Where `as` or `::` stands in casts to whole numbers of what PostgreSQL rounds half away from zero. */
  roundedCasts: Set<number>;
  issues: Issue[];
}

/** A column that a query gives. */
interface Output {
  name?: string | undefined;
  kind?: ValueKind | undefined;
}

/** The columns that a query gives, in order. */
export type Outputs = readonly Output[];
export type CommonTables = ReadonlyMap<string, Outputs>;

/** Where a query stands. */
export interface QueryContext {
  common: CommonTables;
  outer: NameScope | undefined;
}

/** Where an expression stands. */
export interface Place {
  scope: NameScope;
  common: CommonTables;
  /** Names of the result, where they may stand for columns. */
  results?: { source: RowSource; onUse: () => void } | undefined;
}

/** Reads a query within another one. */
export type ReadQuery = (query: unknown, context: QueryContext) => Outputs;

/** What is known of a statement so far. */
export class Resolution {
  readonly result: ResolvedSelect = {
    tables: [],
    functions: [],
    edits: [],
    columns: [],
    conditions: [],
    spellings: new Set<SqlSpelling>(["postgresql", "sqlite", "duckdb"]),
    isRecursive: false,
    unkept: [],
    postgresEdits: [],
    roundedCasts: new Set(),
    issues: [],
  };
  readonly tables: TableNames;
  readonly places: SyntaxPlaces;
  /** Names of WITH whose queries are being read, from the outermost on. */
  readonly namesBeingRead: string[] = [];

  /** What was found out already, by nodes of the tree. */
  readonly kinds: WeakMap<object, ValueKind | "unknown"> = new WeakMap();
  readonly outputs: WeakMap<object, Outputs> = new WeakMap();

  /** The dialect that the caller gave. */
  readonly dialect: SqlSpelling | undefined;

  constructor(tables: TableNames, places: SyntaxPlaces, dialect: SqlSpelling | undefined) {
    this.tables = tables;
    this.places = places;
    this.dialect = dialect;
  }

  refuse(code: string, message: string): void {
    if (this.result.issues.length < 20) this.result.issues.push({ code, path: [], message });
  }

  only(...databases: readonly SqlSpelling[]): void {
    for (const spelling of this.result.spellings)
      if (!databases.includes(spelling)) this.result.spellings.delete(spelling);
  }

  /** Members beyond those known must be empty: locks, hints, INTO and whatever else a parser may come to know. */
  onlyMembers(node: SyntaxNode, known: readonly string[], what: string): void {
    for (const [name, value] of Object.entries(node)) {
      if (known.includes(name) || isAbsent(value) || name.endsWith("_token")) continue;
      this.refuse("statement_refused", `${what} may have no ${wordsOf(name)}.`);
    }
  }

  nameOfExpression(value: unknown): string | undefined {
    return this.places.column(value).at(-1)?.value;
  }

  unknownTable(path: readonly Identifier[], scope: NameScope | undefined): void {
    const wanted = path.map(({ value }) => value).join(".");
    const names = scope?.sources.flatMap(({ name }) => name ?? []) ?? this.tables.all();
    this.refuse(
      "resource_unknown",
      `There is no table ${quotedName(wanted)}${hint(path.at(-1)?.value ?? wanted, names)}`,
    );
  }

  derived(alias: unknown, outputs: Outputs): RowSource {
    const name = this.places.identifier(nodeOf(alias)["name"]);
    if (name !== undefined) this.requote(name);
    return {
      name: name?.value.toLowerCase(),
      ...columnsOf(renamed(outputs, this.aliasColumns(alias))),
    };
  }

  aliasColumns(alias: unknown): string[] {
    return listOf(alias, "columns").flatMap((entry) => {
      const name = this.places.identifier(nodeOf(entry)["name"]);
      if (name !== undefined) this.requote(name);
      return name === undefined ? [] : [name.value];
    });
  }

  /** Names within double quotes, and by the quotes of other databases. */
  requote({ value, quote, start, end }: Identifier): void {
    if (quote !== undefined && quote !== '"')
      this.result.edits.push({ start, end, text: quoteIdentifier(value) });
  }
}

/** The outputs by the names that an alias gives them. */
export function renamed(outputs: Outputs, names: readonly string[]): Outputs {
  return outputs.map(({ name, kind }, index) => ({ name: names[index] ?? name, kind }));
}

/** The columns of what a query gives. */
export function columnsOf(outputs: Outputs): Pick<RowSource, "columns" | "kinds"> {
  const columns = new Map<string, string>();
  const kinds = new Map<string, ValueKind | undefined>();
  for (const { name, kind } of outputs) {
    if (name === undefined) continue;
    columns.set(name.toLowerCase(), name);
    kinds.set(name.toLowerCase(), kind);
  }
  return { columns, kinds };
}

/** A name of the parser as words. */
export function wordsOf(name: string): string {
  return name
    .replaceAll("_", " ")
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase()
    .slice(0, 60);
}

/** The nearest name, and what there is. */
export function hint(wanted: string, names: readonly string[]): string {
  const near = nearestName(wanted, names);
  const nearest = near === undefined ? "" : ` Did you mean ${quotedName(near)}?`;
  if (names.length === 0) return `.${nearest}`;
  const shown = names.slice(0, 40).join(", ");
  return `.${nearest} There is: ${shown}${names.length > 40 ? `, and ${names.length - 40} more` : ""}.`;
}
