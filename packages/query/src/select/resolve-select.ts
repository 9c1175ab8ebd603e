import { isAbsent, listOf, nodeOf, variantOf, type SyntaxNode } from "@ccl/sql/parse";
import { isRecord } from "@ccl/core/json";
import { quoteIdentifier } from "@ccl/sql";
import { findColumn, type NameScope, type RowSource, type SourceColumn } from "./name-scope.ts";
import {
  columnsOf,
  renamed,
  wordsOf,
  type CommonTables,
  type Outputs,
  type Place,
  type QueryContext,
  type QueryRows,
  type ReadQuery,
  type Resolution,
} from "./resolution.ts";
import { ExpressionResolver } from "./resolve-expression.ts";
import { FromResolver } from "./resolve-from.ts";
import type { Identifier } from "./syntax-places.ts";
import { columnKind, commonKind, valueKind } from "./value-kind.ts";

const maxDepth = 200;
/**
 * These limit planning time. A database plans a WITH query again for each use, and join planning time grows with
 * the fourth power of the number of tables.
 */
const maxReads = 1_000;
const maxJoined = 40;

interface Scoped {
  scope: NameScope;
  /** Columns in GROUP BY, if it lists only columns. */
  keys?: readonly SourceColumn[] | undefined;
}

/** What is known about a SELECT or a set operation. */
interface ReadBody extends Partial<Scoped> {
  outputs: Outputs;
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
    const { tag, content } = variantOf(statement) ?? {};
    if (tag !== "Query") return this.#notSelect(tag);
    const { outputs } = this.#query(content, { common: new Map(), outer: undefined });
    this.#at.result.columns = outputs.map(({ name }) => name);
    this.#at.result.isOfStar = outputs.map(({ isOfStar = false }) => isOfStar);
    if (this.#at.readCount > maxReads)
      this.#at.refuse(
        `The statement reads more than ${maxReads} tables; use each name of WITH fewer times.`,
        "limit_exceeded",
      );
  }

  #notSelect(tag = "this"): void {
    this.#at.refuse(`Only SELECT is supported, not ${wordsOf(tag)}.`);
  }

  #query(value: unknown, context: QueryContext): QueryRows {
    this.#depth += 1;
    if (this.#depth > maxDepth) {
      this.#at.refuse(`Queries are nested more than ${maxDepth} levels deep.`, "limit_exceeded");
      return { outputs: [] };
    }
    const query = nodeOf(value);
    const readBefore = this.#at.readCount;
    this.#at.onlyMembers(query, ["with", "body", "order_by", "limit_clause", "fetch"], "A query");
    const common = this.#commonTables(nodeOf(query, "with"), context);
    const scope = emptyScope(context.outer);
    const body = this.#body(query["body"], { ...context, common });
    this.#orderBy(query["order_by"], { scope, ...body });
    this.#limit(query, { scope, common });
    this.#depth -= 1;
    const { outputs, joined = 1 } = body;
    this.#at.outputs.set(query, outputs);
    return { outputs, reads: { all: this.#at.readCount - readBefore, joined } };
  }

  #limit(query: SyntaxNode, place: Place): void {
    if (!isAbsent(query["fetch"])) this.#at.only("postgresql");
    const { tag = "LimitOffset", content } = variantOf(query["limit_clause"]) ?? {};
    if (tag !== "LimitOffset") this.#at.refuse("Write LIMIT count OFFSET start.");
    const { limit, offset } = nodeOf(content);
    const { quantity } = nodeOf(query, "fetch");
    this.#expressions.parts([quantity, limit, nodeOf(offset)["value"]], place);
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
        const columns =
          named.length > 0
            ? named
            : listOf(first, "Select", "projection").map((item) => this.#nameOf(item));
        known.set(key, { outputs: columns.map((column) => ({ name: column })) });
      } else this.#at.namesBeingRead.push(key);
      const readBefore = this.#at.readCount;
      const { outputs, reads } = this.#query(table["query"], { common: known, outer });
      if (!isRecursive) this.#at.namesBeingRead.pop();
      this.#at.readCount = readBefore;
      known.set(key, { outputs: renamed(outputs, named), reads });
    }
    return known;
  }

  /** Returns the name of a column in SELECT: its alias, or the name of the column that it copies. */
  #nameOf(item: unknown): string | undefined {
    return this.#aliasOf(item)?.value ?? this.#at.nameOfExpression(expressionOf(item));
  }

  #aliasOf(item: unknown): Identifier | undefined {
    return this.#at.places.identifier(nodeOf(item, "ExprWithAlias")["alias"]);
  }

  #body(value: unknown, context: QueryContext): ReadBody {
    const body = variantOf(value);
    const content = nodeOf(body?.content);
    switch (body?.tag) {
      case "Select":
        return this.#select(content, context);
      case "Query":
        return { outputs: this.#query(content, context).outputs };
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
        this.#notSelect(body?.tag);
        return { outputs: [] };
    }
  }

  #select(select: SyntaxNode, context: QueryContext): ReadBody {
    const { flavor, ...members } = select;
    if (flavor !== "Standard") this.#at.only("duckdb");
    if (!isAbsent(members["top"])) this.#at.refuse("TOP is not supported; write LIMIT at the end.");
    const known =
      "distinct projection from selection group_by having named_window qualify window_before_qualify value_table_mode top top_before_distinct";
    this.#at.onlyMembers(members, known.split(" "), "SELECT");
    const { common } = context;
    const scope = emptyScope(context.outer);
    for (const entry of listOf(select, "from")) this.#from.add(nodeOf(entry), scope, context);
    const joined = scope.sources.reduce((sum, { reads }) => sum + (reads?.joined ?? 1), 0);
    if (joined > maxJoined)
      this.#at.refuse(`The statement joins more than ${maxJoined} tables.`, "limit_exceeded");
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
    if (!isAbsent(select["qualify"])) this.#at.only("duckdb");
    this.#withAliases([select["having"], select["qualify"]], place, outputs);
    for (const window of listOf(select, "named_window"))
      this.#expressions.parts(listOf(window)[1], place);
    const keys = this.#keys(grouped, select, scope);
    for (const item of listOf(select, "projection")) this.#checkUngrouped(item, { scope, keys });
    return { outputs, scope, keys, joined: grouped.length > 0 || joined > maxJoined ? 1 : joined };
  }

  /** Returns the GROUP BY columns if it lists only columns. */
  #keys(
    groups: readonly unknown[],
    select: SyntaxNode,
    scope: NameScope,
  ): SourceColumn[] | undefined {
    const items = listOf(select, "projection");
    const keys = groups.flatMap((group) => {
      const [digits] = listOf(group, "Value", "value", "Number");
      const name = this.#at.nameOfExpression(group);
      const item =
        digits === undefined
          ? items.find((each) => name !== undefined && this.#aliasOf(each)?.value === name)
          : items[Number(digits) - 1];
      return this.#columnOf(group, scope) ?? this.#columnOf(expressionOf(item), scope) ?? [];
    });
    return keys.length === groups.length && keys.length > 0 ? keys : undefined;
  }

  #columnOf(expression: unknown, scope: NameScope): SourceColumn | undefined {
    const path = this.#at.places.column(expression);
    const name = path.at(-1)?.value ?? "";
    const found = findColumn({ ...scope, outer: undefined }, path.at(-2)?.value, name);
    return found === "several" ? undefined : found;
  }

  /**
   * Handles a column outside GROUP BY. DuckDB rejects it and other databases return any of its values. It is
   * accepted only if each group has a single value.
   */
  #checkUngrouped(item: unknown, { scope, keys = [] }: Scoped): void {
    const expression = expressionOf(item);
    const path = this.#at.places.column(expression);
    const [first, last] = [path.at(0), path.at(-1)];
    if (keys.length === 0 || first === undefined || last === undefined) return;
    const found = this.#columnOf(expression, scope);
    if (found === undefined || keys.includes(found)) return;
    const alias = "UnnamedExpr" in nodeOf(item) ? ` AS ${quoteIdentifier(found.name)}` : "";
    this.#at.result.duckDbEdits.push(
      { start: first.start, text: "sole_value(" },
      { start: last.end, text: `)${alias}` },
    );
  }

  #projection(select: SyntaxNode, place: Place): Outputs {
    const texts = this.#itemsOf(this.#at.places.start(nodeOf(select, "select_token")));
    return listOf(select, "projection").flatMap((item, index): Outputs => {
      const found = variantOf(item);
      switch (found?.tag) {
        case "UnnamedExpr":
        case "ExprWithAlias": {
          const expression = expressionOf(item);
          this.#expressions.parts(expression, place);
          const alias = this.#aliasOf(item);
          if (alias !== undefined) this.#at.requote(alias);
          return [
            {
              name: this.#nameOf(item) ?? texts[index],
              kind: valueKind(expression, place, this.#at),
              origin: this.#at.originOf(expression, place),
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
          this.#at.refuse(`SELECT may have no ${wordsOf(found?.tag ?? "this")}.`);
          return [];
      }
    });
  }

  /** In PostgreSQL, the columns that USING and NATURAL merge come first in a `*`. */
  #mergedFirst(content: SyntaxNode, select: SyntaxNode, { merged }: NameScope): void {
    if (merged.size === 0 || !isAbsent(content["opt_exclude"])) return;
    const reason =
      "the order of the columns of * differs after USING and several tables in FROM; name the columns";
    if (listOf(select, "from").length > 1) this.#at.differs(reason, "postgresql");
    const names = [...merged].map(quoteIdentifier).join(", ");
    const start = this.#at.places.start(content["wildcard_token"]);
    const text = `${names}, * EXCLUDE (${names})`;
    this.#at.result.postgresEdits.push({ start, end: start + 1, text });
  }

  #wildcard(sources: readonly RowSource[], options: unknown, scope: NameScope): Outputs {
    const { opt_exclude: excluded, wildcard_token: _, ...others } = nodeOf(options);
    if (Object.values(others).some((value) => !isAbsent(value)))
      this.#at.refuse("Of a * only EXCLUDE (columns) may leave something out.");
    if (!isAbsent(excluded)) this.#at.only("duckdb");
    const omitted = new Set([...namesWithin(excluded)].map((name) => name.toLowerCase()));
    return sources.flatMap(({ columns, table }) => {
      if (table !== undefined) table.isWhole = true;
      return [...columns].flatMap(([key, column]): Outputs => {
        if (omitted.has(key)) return [];
        if (scope.merged.has(key)) omitted.add(key);
        const { name, origin } = column;
        return [{ name, isOfStar: true, kind: columnKind(column), origin }];
      });
    });
  }

  /** Resolves ORDER BY and GROUP BY, which also accept result names. */
  #listed(values: readonly unknown[], place: Place, outputs: Outputs): void {
    for (const value of values) {
      const name = this.#resultName(value, outputs);
      if (name === undefined) this.#withAliases(value, place, outputs);
      else {
        // The name may also be a column, which is then read.
        findColumn(place.scope, undefined, name.value);
        this.#at.requote(name);
      }
    }
  }

  #resultName(value: unknown, outputs: Outputs): Identifier | undefined {
    const found = this.#at.places.identifier(value);
    const wanted = found?.value.toLowerCase();
    return outputs.some(({ name }) => name?.toLowerCase() === wanted) ? found : undefined;
  }

  #withAliases(value: unknown, { scope, common }: Place, outputs: Outputs): void {
    const onUse = (): void => this.#at.only("sqlite", "duckdb");
    const results = { columns: columnsOf(outputs), onUse };
    this.#expressions.parts(value, { scope, common, results });
  }

  #orderBy(clause: unknown, { outputs, ...scoped }: ReadBody & Scoped): void {
    if (isAbsent(clause)) return;
    const { scope } = scoped;
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
      if (this.#resultName(value, outputs) === undefined) this.#checkUngrouped(value, scoped);
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
      if (comparison === undefined || comparison.call !== undefined) continue;
      const isCondition = /^(?:BinaryOp|InList|Between)$/.test(tag) && node["negated"] !== true;
      // A column of a subquery is compared after the subquery's own LIMIT.
      const isOwn = scope.sources.some(({ table }) => table === comparison.table);
      if (isCondition && isOwn) this.#at.result.conditions.push(comparison);
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
