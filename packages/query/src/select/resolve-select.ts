import type { Issue } from "@ccl/core";
import { nearestName } from "../plan/nearest-name.ts";
import { scanColumns } from "../connector/scan-columns.ts";
import { quotedName } from "../validate/check-context.ts";
import {
  findColumn,
  visibleNames,
  type NameScope,
  type RowSource,
  type TableUse,
} from "./name-scope.ts";
import {
  binaryOperators,
  expressionVariants,
  plainVariants,
  typeVariants,
} from "./sql-features.ts";
import { sqlFunctions, tableFunctions, type SqlSpelling } from "./sql-functions.ts";
import {
  isAbsent,
  listOf,
  nodeOf,
  variantOf,
  type Identifier,
  type SyntaxNode,
  type SyntaxPlaces,
} from "./syntax-tree.ts";
import type { TableNames } from "./table-names.ts";
import { isRecord } from "@ccl/core/json";

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
  functions: { name: string; start: number; end: number }[];
  edits: TextEdit[];
  /** Names of the result's columns; undefined where its text is all there is. */
  columns: (string | undefined)[];
  conditions: KnownCondition[];
  /** The databases that understand the statement as it stands. */
  spellings: Set<SqlSpelling>;
  isRecursive: boolean;
  hasJoin: boolean;
  issues: Issue[];
}

/** Columns that a query gives; undefined for one that has no name. */
type Outputs = readonly (string | undefined)[];
type CommonTables = ReadonlyMap<string, Outputs>;

interface QueryContext {
  common: CommonTables;
  outer: NameScope | undefined;
}

const mostDepth = 200;

/**
 * Holds every name of a statement against the catalog. What is not known to be harmless is refused: other tables,
 * functions, kinds of expressions and statements.
 */
export class SelectResolver {
  readonly result: ResolvedSelect = {
    tables: [],
    functions: [],
    edits: [],
    columns: [],
    conditions: [],
    spellings: new Set<SqlSpelling>(["postgresql", "sqlite", "duckdb"]),
    isRecursive: false,
    hasJoin: false,
    issues: [],
  };
  readonly #tables: TableNames;
  readonly #places: SyntaxPlaces;
  readonly #itemsOf: (start: number) => readonly string[];
  #depth = 0;

  /** `itemsOf` gives the text of each item of the SELECT that begins in a place. */
  constructor(
    tables: TableNames,
    places: SyntaxPlaces,
    itemsOf: (start: number) => readonly string[],
  ) {
    this.#tables = tables;
    this.#places = places;
    this.#itemsOf = itemsOf;
  }

  statement(statement: unknown): void {
    const found = variantOf(statement);
    if (found?.tag !== "Query") {
      this.#refuse(
        "statement_refused",
        `Only SELECT is taken, not ${wordsOf(found?.tag ?? "this")}.`,
      );
      return;
    }
    this.result.columns = [...this.#query(found.content, { common: new Map(), outer: undefined })];
  }

  #refuse(code: string, message: string): void {
    if (this.result.issues.length < 20) this.result.issues.push({ code, path: [], message });
  }

  #only(...databases: readonly SqlSpelling[]): void {
    for (const spelling of this.result.spellings)
      if (!databases.includes(spelling)) this.result.spellings.delete(spelling);
  }

  /** Members beyond those known must be empty: locks, hints, INTO and whatever else a parser may come to know. */
  #onlyMembers(node: SyntaxNode, known: readonly string[], what: string): void {
    for (const [name, value] of Object.entries(node)) {
      if (known.includes(name) || isAbsent(value) || name.endsWith("_token")) continue;
      this.#refuse("statement_refused", `${what} may have no ${wordsOf(name)}.`);
    }
  }

  #query(value: unknown, context: QueryContext): Outputs {
    this.#depth += 1;
    if (this.#depth > mostDepth) {
      this.#refuse(
        "limit_exceeded",
        `Queries stand within each other more than ${mostDepth} times.`,
      );
      return [];
    }
    const query = nodeOf(value);
    this.#onlyMembers(query, ["with", "body", "order_by", "limit_clause", "fetch"], "A query");
    const common = this.#commonTables(nodeOf(query, "with"), context);
    const { outputs, scope } = this.#body(query["body"], { ...context, common });
    this.#orderBy(query["order_by"], scope ?? emptyScope(context.outer), outputs);
    this.#limit(query, emptyScope(context.outer), common);
    this.#depth -= 1;
    return outputs;
  }

  #limit(query: SyntaxNode, scope: NameScope, common: CommonTables): void {
    if (!isAbsent(query["fetch"])) {
      this.#only("postgresql");
      this.#parts(nodeOf(query, "fetch")["quantity"], { scope, common });
    }
    const limit = variantOf(query["limit_clause"]);
    if (limit === undefined) return;
    if (limit.tag !== "LimitOffset")
      this.#refuse("statement_refused", "Write LIMIT count OFFSET start.");
    const { limit: count, offset } = nodeOf(limit.content);
    this.#parts(count, { scope, common });
    this.#parts(nodeOf(offset)["value"], { scope, common });
  }

  #commonTables(clause: SyntaxNode, { common, outer }: QueryContext): CommonTables {
    const known = new Map(common);
    const isRecursive = clause["recursive"] === true;
    if (isRecursive) this.result.isRecursive = true;
    for (const entry of listOf(clause, "cte_tables")) {
      const table = nodeOf(entry);
      this.#onlyMembers(table, ["alias", "query", "materialized"], "WITH");
      const name = this.#places.identifier(nodeOf(table, "alias")["name"]);
      if (name === undefined) continue;
      this.#requote(name);
      const named = this.#aliasColumns(table["alias"]);
      const key = name.value.toLowerCase();
      if (isRecursive) {
        const first = nodeOf(table, "query", "body", "SetOperation")["left"];
        const columns = named.length > 0 ? named : this.#namesOnly(first);
        known.set(key, columns);
      }
      const outputs = this.#query(table["query"], { common: known, outer });
      known.set(
        key,
        outputs.map((output, index) => named[index] ?? output),
      );
    }
    return known;
  }

  /** The names that a SELECT gives, before it is read. */
  #namesOnly(body: unknown): Outputs {
    return listOf(body, "Select", "projection").map((item) => {
      const found = variantOf(item);
      if (found?.tag === "ExprWithAlias")
        return this.#places.identifier(nodeOf(found.content)["alias"])?.value;
      return this.#nameOfExpression(found?.content);
    });
  }

  #body(
    value: unknown,
    context: QueryContext,
  ): { outputs: Outputs; scope?: NameScope | undefined } {
    const body = variantOf(value);
    const content = nodeOf(body?.content);
    switch (body?.tag) {
      case "Select":
        return this.#select(content, context);
      case "Query":
        return { outputs: this.#query(content, context) };
      case "SetOperation": {
        if (!/^(?:None|All|Distinct)$/.test(String(content["set_quantifier"])))
          this.#only("duckdb");
        const left = this.#body(content["left"], context).outputs;
        this.#body(content["right"], context);
        return { outputs: left };
      }
      case "Values": {
        const rows = listOf(content, "rows").map((row) => listOf(row, "content"));
        for (const row of rows)
          this.#parts(row, { scope: emptyScope(context.outer), common: context.common });
        return { outputs: (rows[0] ?? []).map((_, index) => `column${index + 1}`) };
      }
      default:
        this.#refuse(
          "statement_refused",
          `Only SELECT is taken, not ${wordsOf(body?.tag ?? "this")}.`,
        );
        return { outputs: [] };
    }
  }

  #select(select: SyntaxNode, context: QueryContext): { outputs: Outputs; scope: NameScope } {
    const { flavor, ...members } = select;
    if (flavor !== "Standard") this.#only("duckdb");
    const known =
      "distinct projection from selection group_by having named_window qualify window_before_qualify value_table_mode top_before_distinct";
    this.#onlyMembers(members, known.split(" "), "SELECT");
    const { common } = context;
    const scope = emptyScope(context.outer);
    for (const entry of listOf(select, "from")) this.#tableWithJoins(nodeOf(entry), scope, context);
    const place = { scope, common };
    this.#parts(select["selection"], place);
    this.#collectConditions(select["selection"], select, scope);
    const outputs = this.#projection(select, place);
    const distinct = variantOf(select["distinct"]);
    if (distinct?.tag === "On") {
      this.#only("postgresql", "duckdb");
      this.#parts(distinct.content, place);
    }
    const groups = variantOf(select["group_by"]);
    if (groups?.tag === "All") this.#only("duckdb");
    this.#listed(listOf(listOf(groups?.content)[0]), place, outputs);
    this.#withAliases(select["having"], place, outputs, ["sqlite", "duckdb"]);
    if (!isAbsent(select["qualify"])) this.#only("duckdb");
    this.#withAliases(select["qualify"], place, outputs, ["duckdb"]);
    for (const window of listOf(select, "named_window")) this.#parts(listOf(window)[1], place);
    return { outputs, scope };
  }

  #projection(select: SyntaxNode, place: Place): Outputs {
    const texts = this.#itemsOf(this.#places.start(nodeOf(select, "select_token")));
    return listOf(select, "projection").flatMap((item, index): Outputs => {
      const found = variantOf(item);
      switch (found?.tag) {
        case "UnnamedExpr":
          this.#parts(found.content, place);
          return [this.#nameOfExpression(found.content) ?? texts[index]];
        case "ExprWithAlias": {
          const { expr, alias } = nodeOf(found.content);
          this.#parts(expr, place);
          const name = this.#places.identifier(alias);
          if (name !== undefined) this.#requote(name);
          return [name?.value];
        }
        case "Wildcard":
          return this.#wildcard(place.scope.sources, found.content, place.scope);
        case "QualifiedWildcard": {
          const [kind, options] = listOf(found.content);
          const path = this.#places.path(listOf(variantOf(kind)?.content));
          const name = path.at(-1)?.value.toLowerCase();
          const sources = place.scope.sources.filter((source) => source.name === name);
          if (sources.length === 0) this.#unknownTable(path, place.scope);
          return this.#wildcard(sources, options, place.scope);
        }
        default:
          this.#refuse("statement_refused", `SELECT may have no ${wordsOf(found?.tag ?? "this")}.`);
          return [];
      }
    });
  }

  #wildcard(sources: readonly RowSource[], options: unknown, scope: NameScope): Outputs {
    const { opt_exclude: excluded, wildcard_token: _, ...others } = nodeOf(options);
    if (Object.values(others).some((value) => !isAbsent(value)))
      this.#refuse("statement_refused", "Of a * only EXCLUDE (columns) may leave something out.");
    if (!isAbsent(excluded)) this.#only("duckdb");
    const left = new Set<string>();
    const merged = new Set<string>();
    for (const name of namesWithin(excluded)) left.add(name.toLowerCase());
    return sources.flatMap(({ columns, table }) => {
      if (table !== undefined) table.isWhole = true;
      return [...columns].flatMap(([key, name]): string[] => {
        if (left.has(key) || merged.has(key)) return [];
        if (scope.merged.has(key)) merged.add(key);
        return [name];
      });
    });
  }

  #nameOfExpression(value: unknown): string | undefined {
    const found = variantOf(value);
    if (found?.tag === "Identifier") return this.#places.identifier(found.content)?.value;
    if (found?.tag === "CompoundIdentifier")
      return this.#places.path(listOf(found.content)).at(-1)?.value;
    return undefined;
  }

  /** ORDER BY and GROUP BY also take the names of the result. */
  #listed(values: readonly unknown[], place: Place, outputs: Outputs): void {
    for (const value of values) {
      const name =
        variantOf(value)?.tag === "Identifier" ? this.#nameOfExpression(value) : undefined;
      if (name !== undefined && hasName(outputs, name)) {
        // It may be a column all the same, and is then read.
        findColumn(place.scope, undefined, name);
        const found = this.#places.identifier(nodeOf(value)["Identifier"]);
        if (found !== undefined) this.#requote(found);
      } else this.#withAliases(value, place, outputs, ["sqlite", "duckdb"]);
    }
  }

  #withAliases(
    value: unknown,
    { scope, common }: Place,
    outputs: Outputs,
    databases: readonly SqlSpelling[],
  ): void {
    const names = outputs.filter((name) => name !== undefined);
    const columns = new Map(names.map((name) => [name.toLowerCase(), name]));
    const results = { name: undefined, columns };
    const onUse = (): void => this.#only(...databases);
    this.#parts(value, { scope, common, results: { source: results, onUse } });
  }

  #orderBy(clause: unknown, scope: NameScope, outputs: Outputs): void {
    if (isAbsent(clause)) return;
    const kind = nodeOf(clause)["kind"];
    const found = variantOf(kind);
    const [first, ...others] = listOf(found?.content);
    const isAll =
      others.length === 0 && this.#nameOfExpression(nodeOf(first)["expr"])?.toLowerCase() === "all";
    if (found?.tag !== "Expressions" || isAll) return this.#only("duckdb");
    this.#listed(
      listOf(found.content).map((entry) => nodeOf(entry)["expr"]),
      { scope, common: new Map() },
      outputs,
    );
  }

  #tableWithJoins(entry: SyntaxNode, scope: NameScope, context: QueryContext): void {
    if (scope.sources.length > 0) this.result.hasJoin = true;
    const firstAt = scope.sources.length;
    this.#factor(entry["relation"], scope, context);
    for (const each of listOf(entry, "joins")) {
      this.result.hasJoin = true;
      const join = nodeOf(each);
      const rightAt = scope.sources.length;
      this.#factor(join["relation"], scope, context);
      const operator = variantOf(join["join_operator"]);
      const kind = operator?.tag ?? "";
      if (!/^(?:Join|Inner|CrossJoin|Left|LeftOuter|Right|RightOuter|FullOuter)$/.test(kind))
        this.#refuse("statement_refused", `The join ${wordsOf(kind)} is not taken.`);
      this.#constraint(operator?.content, { scope, firstAt, rightAt, common: context.common });
    }
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
      for (const { columns } of right)
        for (const key of columns.keys())
          if (left.some((source) => source.columns.has(key))) shared.add(key);
    }
    const found = variantOf(value);
    if (found?.tag === "On") this.#parts(found.content, { scope, common });
    else if (found?.tag === "Using") {
      for (const path of listOf(found.content).map((names) => this.#places.path(listOf(names)))) {
        const [name] = path;
        const key = name?.value.toLowerCase() ?? "";
        const isShared = [left, right].every((side) =>
          side.some(({ columns }) => columns.has(key)),
        );
        if (name === undefined || !isShared)
          this.#refuse(
            "column_unknown",
            `USING needs ${quotedName(name?.value ?? "")} on both sides.`,
          );
        shared.add(key);
      }
    } else if (value !== "Natural") this.#refuse("statement_refused", "A join takes ON or USING.");
    for (const key of shared) {
      scope.merged.add(key);
      findColumn(scope, undefined, key);
    }
  }

  #factor(value: unknown, scope: NameScope, context: QueryContext): void {
    const factor = variantOf(value);
    const content = nodeOf(factor?.content);
    switch (factor?.tag) {
      case "Table":
        return this.#table(content, scope, context);
      case "Derived": {
        this.#onlyMembers(content, ["lateral", "subquery", "alias"], "A subquery");
        const isLateral = content["lateral"] === true;
        if (isLateral) this.#only("postgresql", "duckdb");
        const outer = isLateral ? { ...scope, sources: [...scope.sources] } : context.outer;
        const outputs = this.#query(content["subquery"], { ...context, outer });
        scope.sources.push(this.#derived(content["alias"], outputs));
        return;
      }
      case "NestedJoin":
        return this.#tableWithJoins(nodeOf(content, "table_with_joins"), scope, context);
      case "UNNEST": {
        this.#only("postgresql", "duckdb");
        this.#parts(content["array_exprs"], { scope, common: context.common });
        scope.sources.push(this.#derived(content["alias"], ["unnest"]));
        return;
      }
      default:
        this.#refuse("statement_refused", `FROM may have no ${wordsOf(factor?.tag ?? "this")}.`);
    }
  }

  #derived(alias: unknown, outputs: Outputs): RowSource {
    const name = this.#places.identifier(nodeOf(alias)["name"]);
    if (name !== undefined) this.#requote(name);
    const named = this.#aliasColumns(alias);
    const columns = outputs.map((output, index) => named[index] ?? output);
    const known = columns.filter((column) => column !== undefined);
    return {
      name: name?.value.toLowerCase(),
      columns: new Map(known.map((column) => [column.toLowerCase(), column])),
    };
  }

  #aliasColumns(alias: unknown): string[] {
    return listOf(alias, "columns").flatMap((entry) => {
      const name = this.#places.identifier(nodeOf(entry)["name"]);
      if (name !== undefined) this.#requote(name);
      return name === undefined ? [] : [name.value];
    });
  }

  #table(table: SyntaxNode, scope: NameScope, context: QueryContext): void {
    this.#onlyMembers(table, ["name", "alias", "args"], "A table");
    const path = this.#places.path(listOf(table, "name"));
    const first = path[0];
    const last = path.at(-1);
    if (first === undefined || last === undefined)
      return this.#refuse("resource_unknown", "FROM names something that is no table.");
    if (!isAbsent(table["args"])) return this.#tableFunction(table, last, scope, context);
    const common = path.length === 1 ? context.common.get(last.value.toLowerCase()) : undefined;
    const alias = this.#places.identifier(nodeOf(table, "alias")["name"]);
    if (common !== undefined) {
      this.#requote(last);
      const source = this.#derived(table["alias"], common);
      scope.sources.push({ ...source, name: source.name ?? last.value.toLowerCase() });
      return;
    }
    const found = this.#tables.find(path.map(({ value }) => value));
    const [resource] = found;
    if (resource === undefined) return this.#unknownTable(path, undefined);
    if (found.length > 1) {
      const names = found.map((each) => quotedName(this.#tables.nameOf(each)));
      return this.#refuse(
        "resource_unknown",
        `${quotedName(last.value)} may be ${names.join(" or ")}; write one of these.`,
      );
    }
    if (listOf(table, "alias", "columns").length > 0)
      return this.#refuse(
        "statement_refused",
        `Give the columns of ${quotedName(last.value)} their names in SELECT.`,
      );
    if (alias !== undefined) this.#requote(alias);
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
    this.result.tables.push(use);
    const columns = [...scanColumns(resource).keys()].map((column): [string, string] => [
      column.toLowerCase(),
      column,
    ]);
    scope.sources.push({ name: name.toLowerCase(), columns: new Map(columns), table: use });
  }

  #unknownTable(path: readonly Identifier[], scope: NameScope | undefined): void {
    const wanted = path.map(({ value }) => value).join(".");
    const names = scope?.sources.flatMap(({ name }) => name ?? []) ?? this.#tables.all();
    this.#refuse(
      "resource_unknown",
      `There is no table ${quotedName(wanted)}${hint(path.at(-1)?.value ?? wanted, names)}`,
    );
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
      return this.#refuse(
        "function_unknown",
        `FROM takes no function ${quotedName(name.value)}${hint(key, known)}`,
      );
    }
    this.#only(...(sqlFunctions.get(key) ?? []));
    this.#parts(nodeOf(table, "args")["args"], { scope, common: context.common });
    const source = this.#derived(table["alias"], columns);
    const named = this.#aliasColumns(table["alias"]);
    const alias =
      source.name === undefined || named.length > 0 ? [] : [[source.name, source.name] as const];
    scope.sources.push({
      name: source.name ?? key,
      columns: new Map([...source.columns, ...alias]),
    });
  }

  /** Names within double quotes, and by the quotes of other databases. */
  #requote({ value, quote, start, end }: Identifier): void {
    if (quote !== undefined && quote !== '"')
      this.result.edits.push({ start, end, text: quoted(value) });
  }

  /** Everything within a part of an expression, whatever it is. */
  #parts(value: unknown, place: Place): void {
    if (Array.isArray(value)) {
      for (const each of value) this.#parts(each, place);
      return;
    }
    if (!isRecord(value)) return;
    this.#depth += 1;
    if (this.#depth > mostDepth * 5) {
      this.#refuse("limit_exceeded", "The statement is too deep.");
      this.#depth -= 1;
      return;
    }
    const found = variantOf(value);
    if (found !== undefined) this.#variant(found.tag, found.content, place);
    else
      for (const [name, member] of Object.entries(value)) {
        if (name === "data_type") this.#type(member);
        else if (name === "subquery")
          this.#query(member, { common: place.common, outer: place.scope });
        else if (name !== "span" && !name.endsWith("_token")) this.#parts(member, place);
      }
    this.#depth -= 1;
  }

  #variant(tag: string, content: unknown, place: Place): void {
    const databases = expressionVariants.get(tag);
    if (databases !== undefined) this.#only(...databases);
    switch (tag) {
      case "Identifier":
        return this.#column([content], place);
      case "CompoundIdentifier":
        return this.#column(listOf(content), place);
      case "Function":
        return this.#call(nodeOf(content), place);
      case "Subquery":
      case "Query":
        this.#query(content, { common: place.common, outer: place.scope });
        return;
      case "BinaryOp":
        this.#operator(nodeOf(content)["op"]);
        break;
      case "Cast":
        if (nodeOf(content)["kind"] !== "Cast")
          this.#only(
            ...(nodeOf(content)["kind"] === "DoubleColon"
              ? (["postgresql", "duckdb"] as const)
              : (["duckdb"] as const)),
          );
        break;
      case "Collate":
        return this.#refuse(
          "statement_refused",
          "COLLATE is not taken; compare lower(a) = lower(b).",
        );
      case "Substring":
        if (nodeOf(content)["special"] !== true) this.#only("postgresql", "duckdb");
        break;
      case "NamedWindow":
        return;
      case "Unnamed":
        if (typeof content === "string" && content !== "Wildcard")
          this.#refuse("statement_refused", "An argument is not taken.");
        break;
    }
    if (databases === undefined && !plainVariants.has(tag))
      return this.#refuse("statement_refused", `${wordsOf(tag)} is not taken.`);
    this.#parts(content, place);
  }

  #operator(operator: unknown): void {
    const databases = typeof operator === "string" ? binaryOperators.get(operator) : undefined;
    if (databases === undefined)
      return this.#refuse(
        "statement_refused",
        `The operator ${wordsOf(JSON.stringify(operator))} is not taken.`,
      );
    this.#only(...databases);
  }

  #type(type: unknown): void {
    const name = typeof type === "string" ? type : Object.keys(nodeOf(type))[0];
    const custom = nodeOf(type)["Custom"];
    if (custom !== undefined) {
      const path = this.#places.path(listOf(listOf(custom)[0]));
      if (
        path.length === 1 &&
        /^(?:hugeint|uint\d+|ubigint|uinteger|varint)$/i.test(path[0]?.value ?? "")
      )
        return this.#only("duckdb");
    }
    const databases = typeVariants.get(name ?? "");
    if (databases === undefined)
      return this.#refuse("type_mismatch", `A cast to ${wordsOf(name ?? "this")} is not taken.`);
    this.#only(...databases);
  }

  #call(call: SyntaxNode, place: Place): void {
    const known = "name args over filter within_group null_treatment parameters uses_odbc_syntax";
    this.#onlyMembers(call, known.split(" "), "A call");
    const path = this.#places.path(listOf(call, "name"));
    const [name] = path;
    const key = name?.value.toLowerCase() ?? "";
    const databases = path.length === 1 ? sqlFunctions.get(key) : undefined;
    if (name === undefined || databases === undefined) {
      const wanted = path.map(({ value }) => value).join(".");
      return this.#refuse(
        "function_unknown",
        `There is no function ${quotedName(wanted)}${hint(wanted, [...sqlFunctions.keys()])}`,
      );
    }
    const args = listOf(call, "args", "List", "args");
    this.#only(...(meantBy(key, args) ?? databases));
    if (!isAbsent(call["within_group"])) this.#only("postgresql", "duckdb");
    this.result.functions.push({ name: key, start: name.start, end: name.end });
    for (const part of ["args", "over", "filter", "within_group"]) this.#parts(call[part], place);
  }

  #column(values: readonly unknown[], { scope, results }: Place): void {
    const path = this.#places.path(values);
    const name = path.at(-1);
    if (name === undefined) return;
    const table = path.at(-2);
    const found = findColumn(scope, table?.value, name.value);
    if (found === "several")
      return this.#refuse(
        "column_unknown",
        `${quotedName(name.value)} is in more than one of the tables; write table.${name.value}.`,
      );
    if (found !== undefined) {
      // As the table spells it, and quoted: what is a word of one database is a name in another.
      if (found.source.table !== undefined)
        this.result.edits.push({ start: name.start, end: name.end, text: quoted(found.column) });
      else this.#requote(name);
      if (path.length === 3 && path[0] !== undefined && table !== undefined)
        this.result.edits.push({ start: path[0].start, end: table.start, text: "" });
      if (table !== undefined) this.#requote(table);
      return;
    }
    if (table === undefined && results?.source.columns.has(name.value.toLowerCase()) === true) {
      this.#requote(name);
      return results.onUse();
    }
    // SQLite takes a quoted name that is none for a text, and so do those who learnt from it.
    if (table === undefined && name.quote === '"') {
      this.result.edits.push({
        start: name.start,
        end: name.end,
        text: `'${name.value.replaceAll("'", "''")}'`,
      });
      return;
    }
    const wanted = path.map(({ value }) => value).join(".");
    const isTable =
      table === undefined || visibleSources(scope).includes(table.value.toLowerCase());
    if (!isTable) return this.#unknownTable(path.slice(0, -1), scope);
    this.#refuse(
      "column_unknown",
      `There is no column ${quotedName(wanted)}${hint(name.value, namesOf(scope, table?.value))}`,
    );
  }

  /** Conditions of WHERE on one column each, where no outer join stands between them and the rows. */
  #collectConditions(where: unknown, select: SyntaxNode, scope: NameScope): void {
    const joins = listOf(select, "from").flatMap((entry) => listOf(entry, "joins"));
    const isInner = joins.every((join) =>
      /^(?:Join|Inner|CrossJoin)$/.test(variantOf(nodeOf(join)["join_operator"])?.tag ?? ""),
    );
    if (!isInner) return;
    for (const part of conjuncts(where)) {
      const { op, left, right } = nodeOf(part, "BinaryOp");
      const column = variantOf(left);
      const literal = variantOf(nodeOf(right, "Value")["value"]);
      const values =
        column?.tag === "Identifier"
          ? [column.content]
          : column?.tag === "CompoundIdentifier"
            ? listOf(column.content)
            : [];
      const path = this.#places.path(values);
      const name = path.at(-1);
      if (name === undefined || literal === undefined || typeof op !== "string" || path.length > 2)
        continue;
      const own = { ...scope, outer: undefined };
      const found = findColumn(own, path.at(-2)?.value, name.value);
      if (found === undefined || found === "several" || found.source.table === undefined) continue;
      this.result.conditions.push({
        table: found.source.table,
        column: found.column,
        operator: op,
        literal: literal.content,
      });
    }
  }
}

interface Place {
  scope: NameScope;
  common: CommonTables;
  /** Names of the result, where they may stand for columns. */
  results?: { source: RowSource; onUse: () => void } | undefined;
}

function emptyScope(outer: NameScope | undefined): NameScope {
  return { sources: [], merged: new Set(), outer };
}

function hasName(outputs: Outputs, wanted: string): boolean {
  return outputs.some((name) => name?.toLowerCase() === wanted.toLowerCase());
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

function visibleSources(scope: NameScope | undefined): string[] {
  const names: string[] = [];
  for (let at = scope; at !== undefined; at = at.outer)
    for (const { name } of at.sources) if (name !== undefined) names.push(name);
  return names;
}

function namesOf(scope: NameScope, table: string | undefined): string[] {
  if (table === undefined) return visibleNames(scope);
  for (let at: NameScope | undefined = scope; at !== undefined; at = at.outer)
    for (const { name, columns } of at.sources)
      if (name === table.toLowerCase()) return [...columns.values()];
  return [];
}

/** Who a function is of where its arguments tell: `max(a, b)`, `date(x, '+1 day')`, `strftime('%Y', x)`. */
function meantBy(name: string, args: readonly unknown[]): readonly SqlSpelling[] | undefined {
  if ((name === "max" || name === "min") && args.length > 1) return ["sqlite"];
  const first = nodeOf(args[0], "Unnamed", "Expr", "Value", "value")["SingleQuotedString"];
  if (name === "date" && args.length !== 1) return ["sqlite"];
  if (name === "date" && first === "now") return ["sqlite", "postgresql"];
  if (name === "strftime") return first === undefined ? ["duckdb"] : ["sqlite"];
  return undefined;
}

/** The nearest name, and what there is. */
function hint(wanted: string, names: readonly string[]): string {
  const near = nearestName(wanted, names);
  const nearest = near === undefined ? "" : ` Did you mean ${quotedName(near)}?`;
  if (names.length === 0) return `.${nearest}`;
  const shown = names.slice(0, 40).join(", ");
  return `.${nearest} There is: ${shown}${names.length > 40 ? `, and ${names.length - 40} more` : ""}.`;
}

/** A name as every database takes it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function wordsOf(name: string): string {
  return name
    .replaceAll("_", " ")
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toUpperCase()
    .slice(0, 60);
}
