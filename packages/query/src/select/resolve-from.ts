import { quoteIdentifier } from "@ccl/sql";
import { isAbsent, listOf, nodeOf, variantOf, type SyntaxNode } from "@ccl/sql/parse";
import { scanColumns } from "../connector/scan-columns.ts";
import { quotedName } from "../plan/nearest-name.ts";
import { findColumn, type NameScope, type TableUse } from "./name-scope.ts";
import {
  hint,
  wordsOf,
  type CommonTables,
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
        this.#at.refuse("statement_refused", `The join ${wordsOf(kind)} is not supported.`);
      if (operator?.content === "None" && kind !== "CrossJoin") this.#unconstrained();
      this.#constraint(operator?.content, { scope, firstAt, rightAt, common: context.common });
    }
  }

  /** Only SQLite accepts a join without a condition, as a cross join. */
  #unconstrained(): void {
    const reason = "a join has neither ON nor USING; write CROSS JOIN for all pairs of rows";
    if ((this.#at.dialect ?? "sqlite") !== "sqlite")
      this.#at.refuse("statement_refused", `In this statement ${reason}.`);
    this.#at.only("sqlite");
    this.#at.result.differences.push({ reason });
  }

  #constraint(
    value: unknown,
    {
      scope,
      firstAt,
      rightAt,
      common,
    }: { scope: NameScope; firstAt: number; rightAt: number; common: CommonTables },
  ): void {
    if (value === "None") return;
    const left = scope.sources.slice(firstAt, rightAt);
    const right = scope.sources.slice(rightAt);
    const shared = new Set<string>();
    if (value === "Natural") {
      for (const { table } of [...left, ...right]) if (table !== undefined) table.isWhole = true;
      const keys = left.flatMap(({ columns }) => [...columns.keys()]);
      for (const key of keys.filter((each) => right.some(({ columns }) => columns.has(each))))
        shared.add(key);
    }
    const found = variantOf(value);
    if (found?.tag === "On") this.#expressions.parts(found.content, { scope, common });
    else if (found?.tag === "Using") {
      for (const path of listOf(found.content).map((names) =>
        this.#at.places.path(listOf(names)),
      )) {
        const [name] = path;
        const key = name?.value.toLowerCase() ?? "";
        const isShared = [left, right].every((side) =>
          side.some(({ columns }) => columns.has(key)),
        );
        if (name === undefined || !isShared)
          this.#at.refuse(
            "column_unknown",
            `USING needs ${quotedName(name?.value ?? "")} on both sides.`,
          );
        shared.add(key);
      }
    } else if (value !== "Natural")
      this.#at.refuse("statement_refused", "A join takes ON or USING.");
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
        const outputs = this.#readQuery(content["subquery"], { ...context, outer });
        scope.sources.push(this.#at.derived(content["alias"], outputs));
        return;
      }
      case "NestedJoin":
        return this.add(nodeOf(content, "table_with_joins"), scope, context);
      case "UNNEST": {
        this.#at.only("postgresql", "duckdb");
        this.#expressions.parts(content["array_exprs"], { scope, common: context.common });
        return this.#ofFunction(content["alias"], { key: "unnest", columns: ["unnest"] }, scope);
      }
      default:
        this.#at.refuse("statement_refused", `FROM may have no ${wordsOf(factor?.tag ?? "this")}.`);
    }
  }

  #table(table: SyntaxNode, scope: NameScope, context: QueryContext): void {
    this.#at.onlyMembers(table, ["name", "alias", "args"], "A table");
    const path = this.#at.places.path(listOf(table, "name"));
    const first = path[0];
    const last = path.at(-1);
    if (first === undefined || last === undefined)
      return this.#at.refuse("resource_unknown", "FROM names something that is not a table.");
    if (!isAbsent(table["args"])) return this.#tableFunction(table, last, scope, context);
    // In SQLite, every WITH is recursive. An inner table with that name would refer to the query
    // being read and never end.
    if (path.length === 1 && this.#at.namesBeingRead.includes(last.value.toLowerCase()))
      this.#at.only("postgresql", "duckdb");
    const common = path.length === 1 ? context.common.get(last.value.toLowerCase()) : undefined;
    const alias = this.#at.places.identifier(nodeOf(table, "alias")["name"]);
    if (common !== undefined) {
      this.#at.requote(last);
      const source = this.#at.derived(table["alias"], common);
      this.#at.readCount += source.reads?.all ?? 1;
      scope.sources.push({ ...source, name: source.name ?? last.value.toLowerCase() });
      return;
    }
    const found = this.#at.tables.find(path.map(({ value }) => value));
    const [resource] = found;
    if (resource === undefined) {
      const name = (alias ?? last).value.toLowerCase();
      scope.sources.push({ name, columns: new Map(), isUnknown: true });
      return this.#at.unknownTable(path, undefined);
    }
    if (found.length > 1) {
      const names = found.map((each) => quotedName(this.#at.tables.nameOf(each)));
      return this.#at.refuse(
        "resource_unknown",
        `${quotedName(last.value)} may be ${names.join(" or ")}; write one of these.`,
      );
    }
    if (listOf(table, "alias", "columns").length > 0)
      return this.#at.refuse(
        "statement_refused",
        `Give the columns of ${quotedName(last.value)} their names in SELECT.`,
      );
    if (alias !== undefined) this.#at.requote(alias);
    const name = alias?.value ?? last.value;
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
    const columns = [...scanColumns(resource).keys()].map((column): [string, string] => [
      column.toLowerCase(),
      column,
    ]);
    scope.sources.push({ name: name.toLowerCase(), columns: new Map(columns), table: use });
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
        "function_unknown",
        `FROM takes no function ${quotedName(name.value)}${hint(key, known)}`,
      );
    }
    this.#at.only(...(sqlFunctions.get(key) ?? []));
    this.#expressions.parts(nodeOf(table, "args")["args"], { scope, common: context.common });
    this.#ofFunction(table["alias"], { key, columns }, scope);
  }

  /** Adds the rows returned by a function. */
  #ofFunction(
    alias: unknown,
    { key, columns }: { key: string; columns: readonly string[] },
    scope: NameScope,
  ): void {
    const source = this.#at.derived(
      alias,
      columns.map((column) => ({ name: column })),
    );
    const named = this.#at.aliasColumns(alias);
    const written = this.#at.places.identifier(nodeOf(alias)["name"]);
    // PostgreSQL names a single column after the alias.
    if (written !== undefined && named.length === 0)
      this.#at.result.postgresEdits.push({
        start: written.end,
        end: written.end,
        text: `(${quoteIdentifier(written.value)})`,
      });
    const own =
      source.name === undefined || named.length > 0 ? [] : [[source.name, source.name] as const];
    scope.sources.push({
      name: source.name ?? key,
      columns: new Map([...source.columns, ...own]),
    });
  }
}
