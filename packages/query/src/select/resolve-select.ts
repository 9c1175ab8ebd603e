import { isAbsent, listOf, nodeOf, variantOf, type SyntaxNode } from "@ccl/sql/parse";
import { isRecord } from "@ccl/core/json";
import { quoteIdentifier } from "@ccl/sql";
import {
  findColumn,
  originIn,
  type FoundName,
  type NameScope,
  type RowSource,
} from "./name-scope.ts";
import {
  columnsOf,
  renamed,
  wordsOf,
  type CommonTables,
  type Outputs,
  type Place,
  type QueryContext,
  type ReadQuery,
  type Resolution,
} from "./resolution.ts";
import { ExpressionResolver } from "./resolve-expression.ts";
import { FromResolver } from "./resolve-from.ts";
import type { SqlSpelling } from "./sql-functions.ts";
import { commonKind, kindIn, valueKind } from "./value-kind.ts";

const maxDepth = 200;
/**
 * These limit planning time. A database plans a WITH query again for each use, and join planning time grows with
 * the fourth power of the number of tables.
 */
const maxReads = 1_000;
const maxJoined = 40;

/** What is known about a SELECT or a set operation. */
interface ReadBody {
  outputs: Outputs;
  scope?: NameScope | undefined;
  /** Columns in GROUP BY, if it lists only columns. */
  keys?: readonly FoundName[] | undefined;
  /** Number of tables that an outer query may join with its own. */
  joined?: number | undefined;
}

/**
 * Checks every name in a statement against the catalog. Rejects anything not known to be harmless: other tables,
 * functions, kinds of expressions and statements.
 */
export class SelectResolver {
  readonly #at: Resolution;
  readonly #itemsOf: (start: number) => readonly string[];
  readonly #expressions: ExpressionResolver;
  readonly #from: FromResolver;
  #depth = 0;

  /** `itemsOf` returns the text of each item in the SELECT that starts at an offset. */
  constructor(resolution: Resolution, itemsOf: (start: number) => readonly string[]) {
    this.#at = resolution;
    this.#itemsOf = itemsOf;
    const readQuery: ReadQuery = (query, context) => this.#query(query, context);
    this.#expressions = new ExpressionResolver(resolution, readQuery);
    this.#from = new FromResolver(resolution, this.#expressions, readQuery);
  }

  statement(statement: unknown): void {
    const found = variantOf(statement);
    if (found?.tag !== "Query") {
      this.#at.refuse(
        "statement_refused",
        `Only SELECT is supported, not ${wordsOf(found?.tag ?? "this")}.`,
      );
      return;
    }
    const outputs = this.#query(found.content, { common: new Map(), outer: undefined });
    this.#at.result.columns = outputs.map(({ name }) => name);
    this.#at.result.isOfStar = outputs.map(({ isOfStar = false }) => isOfStar);
    if (this.#at.readCount > maxReads)
      this.#at.refuse(
        "limit_exceeded",
        `The statement reads more than ${maxReads} tables; use each name of WITH fewer times.`,
      );
  }

  #query(value: unknown, context: QueryContext): Outputs {
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      this.#at.refuse("limit_exceeded", `Queries are nested more than ${maxDepth} levels deep.`);
      return [];
    }
    const query = nodeOf(value);
    const readBefore = this.#at.readCount;
    this.#at.onlyMembers(query, ["with", "body", "order_by", "limit_clause", "fetch"], "A query");
    const common = this.#commonTables(nodeOf(query, "with"), context);
    const { outputs, scope, keys, joined = 1 } = this.#body(query["body"], { ...context, common });
    this.#orderBy(query["order_by"], { scope: scope ?? emptyScope(context.outer), outputs, keys });
    this.#limit(query, emptyScope(context.outer), common);
    this.#depth -= 1;
    this.#at.outputs.set(query, outputs);
    this.#at.reads.set(outputs, { all: this.#at.readCount - readBefore, joined });
    return outputs;
  }

  #limit(query: SyntaxNode, scope: NameScope, common: CommonTables): void {
    if (!isAbsent(query["fetch"])) {
      this.#at.only("postgresql");
      this.#expressions.parts(nodeOf(query, "fetch")["quantity"], { scope, common });
    }
    const limit = variantOf(query["limit_clause"]);
    if (limit === undefined) return;
    if (limit.tag !== "LimitOffset")
      this.#at.refuse("statement_refused", "Write LIMIT count OFFSET start.");
    const { limit: count, offset } = nodeOf(limit.content);
    this.#expressions.parts(count, { scope, common });
    this.#expressions.parts(nodeOf(offset)["value"], { scope, common });
  }

  #commonTables(clause: SyntaxNode, { common, outer }: QueryContext): CommonTables {
    const known = new Map(common);
    const isRecursive = clause["recursive"] === true;
    if (isRecursive) this.#at.result.isRecursive = true;
    for (const entry of listOf(clause, "cte_tables")) {
      const table = nodeOf(entry);
      this.#at.onlyMembers(table, ["alias", "query", "materialized"], "WITH");
      const name = this.#at.places.identifier(nodeOf(table, "alias")["name"]);
      if (name === undefined) continue;
      this.#at.requote(name);
      const named = this.#at.aliasColumns(table["alias"]);
      const key = name.value.toLowerCase();
      if (isRecursive) {
        const first = nodeOf(table, "query", "body", "SetOperation")["left"];
        const columns = named.length > 0 ? named : this.#namesOnly(first);
        known.set(
          key,
          columns.map((column) => ({ name: column })),
        );
      }
      if (!isRecursive) this.#at.namesBeingRead.push(key);
      const readBefore = this.#at.readCount;
      const outputs = this.#query(table["query"], { common: known, outer });
      if (!isRecursive) this.#at.namesBeingRead.pop();
      const result = renamed(outputs, named);
      const reads = this.#at.reads.get(outputs);
      if (reads !== undefined) this.#at.reads.set(result, reads);
      this.#at.readCount = readBefore;
      known.set(key, result);
    }
    return known;
  }

  /** Returns a SELECT's column names before it is resolved. */
  #namesOnly(body: unknown): (string | undefined)[] {
    return listOf(body, "Select", "projection").map((item) => {
      const found = variantOf(item);
      if (found?.tag === "ExprWithAlias")
        return this.#at.places.identifier(nodeOf(found.content)["alias"])?.value;
      return this.#at.nameOfExpression(found?.content);
    });
  }

  #body(value: unknown, context: QueryContext): ReadBody {
    const body = variantOf(value);
    const content = nodeOf(body?.content);
    switch (body?.tag) {
      case "Select":
        return this.#select(content, context);
      case "Query":
        return { outputs: this.#query(content, context) };
      case "SetOperation": {
        if (!/^(?:None|All|Distinct)$/.test(String(content["set_quantifier"])))
          this.#at.only("duckdb");
        const left = this.#body(content["left"], context).outputs;
        const right = this.#body(content["right"], context).outputs;
        const outputs = left.map(({ name, isOfStar, kind }, index) => ({
          name,
          isOfStar,
          kind: commonKind([kind, right[index]?.kind]),
        }));
        return { outputs };
      }
      case "Values": {
        const rows = listOf(content, "rows").map((row) => listOf(row, "content"));
        const place = { scope: emptyScope(context.outer), common: context.common };
        for (const row of rows) this.#expressions.parts(row, place);
        const outputs = (rows[0] ?? []).map((_, index) => ({
          name: `column${index + 1}`,
          kind: commonKind(rows.map((row) => valueKind(row[index], place, this.#at))),
        }));
        return { outputs };
      }
      default:
        this.#at.refuse(
          "statement_refused",
          `Only SELECT is supported, not ${wordsOf(body?.tag ?? "this")}.`,
        );
        return { outputs: [] };
    }
  }

  #select(select: SyntaxNode, context: QueryContext): ReadBody {
    const { flavor, ...members } = select;
    if (flavor !== "Standard") this.#at.only("duckdb");
    if (!isAbsent(members["top"]))
      this.#at.refuse("statement_refused", "TOP is not supported; write LIMIT at the end.");
    const known =
      "distinct projection from selection group_by having named_window qualify window_before_qualify value_table_mode top top_before_distinct";
    this.#at.onlyMembers(members, known.split(" "), "SELECT");
    const { common } = context;
    const scope = emptyScope(context.outer);
    for (const entry of listOf(select, "from")) this.#from.add(nodeOf(entry), scope, context);
    const joined = scope.sources.reduce((sum, { reads }) => sum + (reads?.joined ?? 1), 0);
    if (joined > maxJoined)
      this.#at.refuse("limit_exceeded", `The statement joins more than ${maxJoined} tables.`);
    const place = { scope, common };
    this.#expressions.parts(select["selection"], place);
    this.#collectConditions(select["selection"], select, scope);
    const outputs =
      flavor === "FromFirstNoSelect"
        ? this.#wildcard(scope.sources, undefined, scope)
        : this.#projection(select, place);
    const distinct = variantOf(select["distinct"]);
    if (distinct?.tag === "On") {
      this.#at.only("postgresql", "duckdb");
      this.#expressions.parts(distinct.content, place);
    }
    const groups = variantOf(select["group_by"]);
    if (groups?.tag === "All") this.#at.only("duckdb");
    const grouped = listOf(listOf(groups?.content)[0]);
    this.#listed(grouped, place, outputs);
    this.#withAliases(select["having"], place, outputs, ["sqlite", "duckdb"]);
    if (!isAbsent(select["qualify"])) this.#at.only("duckdb");
    this.#withAliases(select["qualify"], place, outputs, ["duckdb"]);
    for (const window of listOf(select, "named_window"))
      this.#expressions.parts(listOf(window)[1], place);
    const keys = this.#keys(grouped, select, scope);
    for (const item of listOf(select, "projection")) this.#checkUngrouped(item, scope, keys);
    return { outputs, scope, keys, joined: grouped.length > 0 || joined > maxJoined ? 1 : joined };
  }

  /** Returns the GROUP BY columns if it lists only columns. */
  #keys(groups: readonly unknown[], select: SyntaxNode, scope: NameScope): FoundName[] | undefined {
    const items = listOf(select, "projection");
    const keys = groups.map((group) => {
      const [digits] = listOf(group, "Value", "value", "Number");
      const named = items.find((item) => {
        const { alias } = nodeOf(item, "ExprWithAlias");
        const name = this.#at.nameOfExpression(group);
        return name !== undefined && this.#at.places.identifier(alias)?.value === name;
      });
      return (
        this.#columnOf(group, scope) ??
        this.#columnOf(
          expressionOf(digits === undefined ? named : items[Number(digits) - 1]),
          scope,
        )
      );
    });
    const found = keys.filter((key) => key !== undefined);
    return found.length === keys.length && found.length > 0 ? found : undefined;
  }

  #columnOf(expression: unknown, scope: NameScope): FoundName | undefined {
    const path = this.#at.places.column(expression);
    const name = path.at(-1)?.value ?? "";
    const found = findColumn({ ...scope, outer: undefined }, path.at(-2)?.value, name);
    return found === "several" ? undefined : found;
  }

  /**
   * Handles a column outside GROUP BY. DuckDB rejects it and other databases return any of its values. It is
   * accepted only if each group has a single value.
   */
  #checkUngrouped(item: unknown, scope: NameScope, keys: readonly FoundName[] | undefined): void {
    const expression = expressionOf(item);
    const found = keys && this.#columnOf(expression, scope);
    const path = this.#at.places.column(expression);
    const [first, last] = [path.at(0), path.at(-1)];
    const isKey = keys?.some(
      ({ source, column }) => source === found?.source && column === found.column,
    );
    if (found === undefined || isKey === true || first === undefined || last === undefined) return;
    const alias = "UnnamedExpr" in nodeOf(item) ? ` AS ${quoteIdentifier(found.column)}` : "";
    this.#at.result.duckDbEdits.push(
      { start: first.start, end: first.start, text: "sole_value(" },
      { start: last.end, end: last.end, text: `)${alias}` },
    );
  }

  #projection(select: SyntaxNode, place: Place): Outputs {
    const texts = this.#itemsOf(this.#at.places.start(nodeOf(select, "select_token")));
    return listOf(select, "projection").flatMap((item, index): Outputs => {
      const found = variantOf(item);
      switch (found?.tag) {
        case "UnnamedExpr":
          this.#expressions.parts(found.content, place);
          return [
            {
              name: this.#at.nameOfExpression(found.content) ?? texts[index],
              kind: valueKind(found.content, place, this.#at),
              origin: this.#at.originOf(found.content, place),
            },
          ];
        case "ExprWithAlias": {
          const { expr, alias } = nodeOf(found.content);
          this.#expressions.parts(expr, place);
          const name = this.#at.places.identifier(alias);
          if (name !== undefined) this.#at.requote(name);
          return [
            {
              name: name?.value,
              kind: valueKind(expr, place, this.#at),
              origin: this.#at.originOf(expr, place),
            },
          ];
        }
        case "Wildcard":
          this.#mergedFirst(nodeOf(found.content), select, place.scope);
          return this.#wildcard(place.scope.sources, found.content, place.scope);
        case "QualifiedWildcard": {
          const [kind, options] = listOf(found.content);
          const path = this.#at.places.path(listOf(variantOf(kind)?.content));
          const name = path.at(-1)?.value.toLowerCase();
          const sources = place.scope.sources.filter((source) => source.name === name);
          if (sources.length === 0) this.#at.unknownTable(path, place.scope);
          return this.#wildcard(sources, options, place.scope);
        }
        default:
          this.#at.refuse(
            "statement_refused",
            `SELECT may have no ${wordsOf(found?.tag ?? "this")}.`,
          );
          return [];
      }
    });
  }

  /** In PostgreSQL, the columns that USING and NATURAL merge come first in a `*`. */
  #mergedFirst(content: SyntaxNode, select: SyntaxNode, { merged }: NameScope): void {
    if (merged.size === 0 || !isAbsent(content["opt_exclude"])) return;
    const reason =
      "the order of the columns of * differs after USING and several tables in FROM; name the columns";
    if (listOf(select, "from").length > 1)
      this.#at.result.differences.push({ reason, dialect: "postgresql" });
    const names = [...merged].map(quoteIdentifier).join(", ");
    const start = this.#at.places.start(content["wildcard_token"]);
    const text = `${names}, * EXCLUDE (${names})`;
    this.#at.result.postgresEdits.push({ start, end: start + 1, text });
  }

  #wildcard(sources: readonly RowSource[], options: unknown, scope: NameScope): Outputs {
    const { opt_exclude: excluded, wildcard_token: _, ...others } = nodeOf(options);
    if (Object.values(others).some((value) => !isAbsent(value)))
      this.#at.refuse(
        "statement_refused",
        "Of a * only EXCLUDE (columns) may leave something out.",
      );
    if (!isAbsent(excluded)) this.#at.only("duckdb");
    const left = new Set<string>();
    const merged = new Set<string>();
    for (const name of namesWithin(excluded)) left.add(name.toLowerCase());
    return sources.flatMap((source) => {
      const { columns, table } = source;
      if (table !== undefined) table.isWhole = true;
      return [...columns].flatMap(([key, name]): Outputs => {
        if (left.has(key) || merged.has(key)) return [];
        if (scope.merged.has(key)) merged.add(key);
        const origin = originIn({ source, column: name });
        return [{ name, isOfStar: true, kind: kindIn(source, name), origin }];
      });
    });
  }

  /** Resolves ORDER BY and GROUP BY, which also accept result names. */
  #listed(values: readonly unknown[], place: Place, outputs: Outputs): void {
    for (const value of values) {
      if (this.#isResult(value, outputs)) {
        // The name may also be a column, which is then read.
        findColumn(place.scope, undefined, this.#at.nameOfExpression(value) ?? "");
        const found = this.#at.places.identifier(nodeOf(value)["Identifier"]);
        if (found !== undefined) this.#at.requote(found);
      } else this.#withAliases(value, place, outputs, ["sqlite", "duckdb"]);
    }
  }

  #isResult(value: unknown, outputs: Outputs): boolean {
    const name =
      variantOf(value)?.tag === "Identifier" ? this.#at.nameOfExpression(value) : undefined;
    return name !== undefined && hasName(outputs, name);
  }

  #withAliases(
    value: unknown,
    { scope, common }: Place,
    outputs: Outputs,
    databases: readonly SqlSpelling[],
  ): void {
    const results = { name: undefined, ...columnsOf(outputs) };
    const onUse = (): void => this.#at.only(...databases);
    this.#expressions.parts(value, { scope, common, results: { source: results, onUse } });
  }

  #orderBy(clause: unknown, { scope = emptyScope(undefined), outputs, keys }: ReadBody): void {
    if (isAbsent(clause)) return;
    const kind = nodeOf(clause)["kind"];
    const found = variantOf(kind);
    const [first, ...others] = listOf(found?.content);
    const isAll =
      others.length === 0 &&
      this.#at.nameOfExpression(nodeOf(first)["expr"])?.toLowerCase() === "all";
    if (found?.tag !== "Expressions" || isAll) return this.#at.only("duckdb");
    const values = listOf(found.content).map((entry) => nodeOf(entry)["expr"]);
    this.#listed(values, { scope, common: new Map() }, outputs);
    for (const value of values)
      if (!this.#isResult(value, outputs)) this.#checkUngrouped(value, scope, keys);
  }

  /** Collects WHERE conditions on a single column, unless an outer join separates them from the rows. */
  #collectConditions(where: unknown, select: SyntaxNode, scope: NameScope): void {
    const joins = listOf(select, "from").flatMap((entry) => listOf(entry, "joins"));
    const isInner = joins.every((join) =>
      /^(?:Join|Inner|CrossJoin)$/.test(variantOf(nodeOf(join)["join_operator"])?.tag ?? ""),
    );
    if (!isInner) return;
    for (const part of conjuncts(where)) {
      const { tag = "", content } = variantOf(part) ?? {};
      const node = nodeOf(content);
      const comparison = this.#at.comparisonAt.get(node);
      const isCondition = /^(?:BinaryOp|InList|Between)$/.test(tag) && node["negated"] !== true;
      // A column of a subquery is compared after the subquery's own LIMIT.
      const isOwn = scope.sources.some(({ table }) => table && table === comparison?.table);
      if (isCondition && isOwn && comparison?.call === undefined && comparison !== undefined)
        this.#at.result.conditions.push(comparison);
    }
  }
}

function emptyScope(outer: NameScope | undefined): NameScope {
  return { sources: [], merged: new Set(), outer };
}

/** Returns the expression of an item in SELECT or ORDER BY. */
function expressionOf(item: unknown): unknown {
  const { UnnamedExpr: plain, ExprWithAlias: named } = nodeOf(item);
  return plain ?? nodeOf(named)["expr"] ?? item;
}

function hasName(outputs: Outputs, wanted: string): boolean {
  return outputs.some(({ name }) => name?.toLowerCase() === wanted.toLowerCase());
}

function conjuncts(value: unknown): unknown[] {
  const nested = nodeOf(value)["Nested"];
  if (nested !== undefined) return conjuncts(nested);
  const { op, left, right } = nodeOf(value, "BinaryOp");
  return op === "And" ? [...conjuncts(left), ...conjuncts(right)] : [value];
}

function* namesWithin(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const each of value) yield* namesWithin(each);
  else if (isRecord(value)) {
    if (typeof value["value"] === "string") yield value["value"];
    else for (const member of Object.values(value)) yield* namesWithin(member);
  }
}
