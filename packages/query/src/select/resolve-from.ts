import { quoteIdentifier } from "@ccl/sql";
import { isAbsent, listOf, nodeOf, variantOf, type SyntaxNode } from "@ccl/sql/parse";
import { scanColumns } from "../connector/scan-columns.ts";
import { quotedName } from "../plan/nearest-name.ts";
import {
  findColumn,
  type NameScope,
  type RowSource,
  type SourceColumn,
  type TableUse,
} from "./name-scope.ts";
import {
  columnsOf,
  hint,
  wordsOf,
  type Place,
  type QueryContext,
  type ReadQuery,
  type Resolution,
} from "./resolution.ts";
import type { ExpressionResolver } from "./resolve-expression.ts";
import { sqlFunctions, tableFunctions } from "./sql-functions.ts";
import type { Identifier } from "./syntax-places.ts";

/** Resolves the tables in a FROM clause and adds their columns to its scope. */
export class FromResolver {
  readonly #at: Resolution;
  readonly #expressions: ExpressionResolver;
  readonly #readQuery: ReadQuery;

  constructor(resolution: Resolution, expressions: ExpressionResolver, readQuery: ReadQuery) {
    this.#at = resolution;
    this.#expressions = expressions;
    this.#readQuery = readQuery;
  }

  add(entry: SyntaxNode, scope: NameScope, context: QueryContext): void {
    const firstAt = scope.sources.length;
    this.#factor(entry["relation"], scope, context);
    for (const each of listOf(entry, "joins")) {
      const join = nodeOf(each);
      const rightAt = scope.sources.length;
      this.#factor(join["relation"], scope, context);
      const operator = variantOf(join["join_operator"]);
      const kind = operator?.tag ?? "";
      if (!/^(?:Join|Inner|CrossJoin|Left|LeftOuter|Right|RightOuter|FullOuter)$/.test(kind))
        this.#at.refuse(`The join ${wordsOf(kind)} is not supported.`);
      const sides = [scope.sources.slice(firstAt, rightAt), scope.sources.slice(rightAt)];
      if (operator?.content !== "None")
        this.#constraint(operator?.content, { scope, common: context.common }, sides);
      else if (kind !== "CrossJoin") this.#unconstrained();
    }
  }

  /** Only SQLite accepts a join without a condition, as a cross join. */
  #unconstrained(): void {
    const reason = "a join has neither ON nor USING; write CROSS JOIN for all pairs of rows";
    if ((this.#at.dialect ?? "sqlite") !== "sqlite")
      this.#at.refuse(`In this statement ${reason}.`);
    this.#at.only("sqlite");
    this.#at.differs(reason);
  }

  #constraint(value: unknown, place: Place, sides: readonly RowSource[][]): void {
    const { scope } = place;
    const { tag = value, content } = variantOf(value) ?? {};
    const isShared = (key: string): boolean =>
      sides.every((side) => side.some(({ columns }) => columns.has(key)));
    const shared: string[] = [];
    if (tag === "On") this.#expressions.parts(content, place);
    else if (tag === "Natural")
      for (const { table, columns } of sides.flat()) {
        if (table !== undefined) table.isWhole = true;
        shared.push(...[...columns.keys()].filter(isShared));
      }
    else if (tag === "Using")
      for (const names of listOf(content)) {
        const wanted = this.#at.places.path(listOf(names))[0]?.value ?? "";
        const key = wanted.toLowerCase();
        if (!isShared(key))
          this.#at.refuse(`USING needs ${quotedName(wanted)} on both sides.`, "column_unknown");
        shared.push(key);
      }
    else this.#at.refuse("A join takes ON or USING.");
    scope.merged = new Set([...shared, ...scope.merged]);
    for (const key of shared) findColumn(scope, undefined, key);
  }

  #factor(value: unknown, scope: NameScope, context: QueryContext): void {
    const factor = variantOf(value);
    const content = nodeOf(factor?.content);
    switch (factor?.tag) {
      case "Table":
        return this.#table(content, scope, context);
      case "Derived": {
        this.#at.onlyMembers(content, ["lateral", "subquery", "alias"], "A subquery");
        const isLateral = content["lateral"] === true;
        if (isLateral) this.#at.only("postgresql", "duckdb");
        const outer = isLateral ? { ...scope, sources: [...scope.sources] } : context.outer;
        const rows = this.#readQuery(content["subquery"], { ...context, outer });
        scope.sources.push(this.#at.derived(content["alias"], rows));
        return;
      }
      case "NestedJoin":
        return this.add(nodeOf(content, "table_with_joins"), scope, context);
      case "UNNEST": {
        this.#at.only("postgresql", "duckdb");
        this.#expressions.parts(content["array_exprs"], { scope, common: context.common });
        return this.#ofFunction(content["alias"], ["unnest"], scope);
      }
      default:
        this.#at.refuse(`FROM may have no ${wordsOf(factor?.tag ?? "this")}.`);
    }
  }

  #table(table: SyntaxNode, scope: NameScope, context: QueryContext): void {
    this.#at.onlyMembers(table, ["name", "alias", "args"], "A table");
    const path = this.#at.places.path(listOf(table, "name"));
    const first = path[0];
    const last = path.at(-1);
    if (first === undefined || last === undefined)
      return this.#at.refuse("FROM names something that is not a table.", "resource_unknown");
    if (!isAbsent(table["args"])) return this.#tableFunction(table, last, scope, context);
    const key = last.value.toLowerCase();
    // In SQLite, every WITH is recursive. An inner table with that name would refer to the query
    // being read and never end.
    if (path.length === 1 && this.#at.namesBeingRead.includes(key))
      this.#at.only("postgresql", "duckdb");
    const common = path.length === 1 ? context.common.get(key) : undefined;
    const alias = this.#at.places.identifier(nodeOf(table, "alias")["name"]);
    if (common !== undefined) {
      this.#at.requote(last);
      const source = this.#at.derived(table["alias"], common);
      this.#at.readCount += source.reads?.all ?? 1;
      scope.sources.push({ ...source, name: source.name ?? key });
      return;
    }
    const { value: name } = alias ?? last;
    const found = this.#at.tables.find(path.map(({ value }) => value));
    const [resource] = found;
    if (resource === undefined) {
      scope.sources.push({ name: name.toLowerCase(), columns: new Map(), isUnknown: true });
      return this.#at.unknownTable(path, undefined);
    }
    if (found.length > 1) {
      const names = found.map((each) => quotedName(this.#at.tables.nameOf(each)));
      return this.#at.refuse(
        `${quotedName(last.value)} may be ${names.join(" or ")}; write one of these.`,
        "resource_unknown",
      );
    }
    if (listOf(table, "alias", "columns").length > 0)
      return this.#at.refuse(
        `Give the columns of ${quotedName(last.value)} their names in SELECT.`,
      );
    if (alias !== undefined) this.#at.requote(alias);
    const use: TableUse = {
      resource,
      name,
      isNamed: alias !== undefined,
      columns: new Set(),
      isWhole: false,
      start: first.start,
      end: last.end,
    };
    this.#at.result.tables.push(use);
    this.#at.readCount += 1;
    const columns = new Map<string, SourceColumn>();
    for (const [column, { column: known }] of scanColumns(resource))
      columns.set(column.toLowerCase(), {
        name: column,
        use,
        type: known.type,
        origin: { table: use, column },
      });
    scope.sources.push({ name: name.toLowerCase(), columns, table: use });
  }

  #tableFunction(
    table: SyntaxNode,
    name: Identifier,
    scope: NameScope,
    context: QueryContext,
  ): void {
    const key = name.value.toLowerCase();
    const columns = tableFunctions.get(key);
    if (columns === undefined || listOf(table, "name").length > 1) {
      const known = [...tableFunctions.keys()];
      return this.#at.refuse(
        `FROM takes no function ${quotedName(name.value)}${hint(key, known)}`,
        "function_unknown",
      );
    }
    this.#at.only(...(sqlFunctions.get(key) ?? []));
    this.#expressions.parts(nodeOf(table, "args")["args"], { scope, common: context.common });
    this.#ofFunction(table["alias"], columns, scope);
  }

  /** Adds the rows returned by a function. */
  #ofFunction(alias: unknown, names: readonly string[], scope: NameScope): void {
    const outputs = names.map((name) => ({ name }));
    const { name = names[0], columns } = this.#at.derived(alias, { outputs });
    const written = this.#at.places.identifier(nodeOf(alias)["name"]);
    if (written === undefined || listOf(alias, "columns").length > 0)
      return void scope.sources.push({ name, columns });
    // PostgreSQL names a single column after the alias.
    const { end: start, value } = written;
    this.#at.result.postgresEdits.push({ start, text: `(${quoteIdentifier(value)})` });
    const named = columnsOf([...outputs, { name: value.toLowerCase() }]);
    scope.sources.push({ name, columns: named });
  }
}
