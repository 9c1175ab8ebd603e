import { arrayAt, isRecord, recordAt, type JsonRecord } from "@ccl/core/json";
import type { KnownTable, SqlFacts, SqlProblem, SqlReading, TableLookup } from "./sql-facts.ts";

/** Columns in lower case. Undefined if they are unknown. */
type Columns = ReadonlySet<string> | undefined;

/** The result of a query. */
interface Relation {
  columns: Columns;
  /**
   * Estimated rows in the largest table that is read without GROUP BY or LIMIT. 0 if its size is unknown.
   * Undefined if there is no such table.
   */
  rows: number | undefined;
}

/** What names mean in a query and in the queries around it. */
interface Scope {
  /** Keyed by alias or name, in lower case. */
  sources: Map<string, Columns>;
  aliases: Set<string>;
  outer: Scope | undefined;
  /** See `Relation.rows`. */
  rows: number | undefined;
  readsTable: boolean;
}

interface Environment {
  ctes: ReadonlyMap<string, Relation>;
  outer: Scope | undefined;
}

/** What names mean inside a SELECT. */
interface Inside extends Environment {
  outer: Scope;
}

interface Reader {
  facts: SqlFacts;
  tables: KnownTable[];
  /** Problems by code and name, without duplicates. */
  problems: Map<string, SqlProblem>;
  lookup: TableLookup;
}

/**
 * Collects names and facts from a syntax tree, and checks the names against the known tables. Does not report
 * names that it cannot decide on.
 */
export function readSql(statements: unknown, lookup: TableLookup): SqlReading {
  const facts: SqlFacts = {
    broken: new Set(),
    unlimitedRows: undefined,
    writes: false,
  };
  const reader: Reader = { facts, problems: new Map(), tables: [], lookup };
  for (const statement of Array.isArray(statements) ? statements : []) {
    const query = isRecord(statement)
      ? (statement["Query"] ?? explainedQuery(statement))
      : undefined;
    if (!isRecord(query)) {
      facts.writes ||= isWriting(statement);
      continue;
    }
    const { rows } = readQuery(reader, query, { ctes: new Map(), outer: undefined });
    facts.unlimitedRows = larger(facts.unlimitedRows, rows);
  }
  return { facts, problems: [...reader.problems.values()], tables: reader.tables };
}

function explainedQuery(statement: JsonRecord): unknown {
  return recordAt(recordAt(statement, "Explain"), "statement")["Query"];
}

const writing =
  /^(?:Insert|Update|Delete|Merge|Truncate|Drop|Alter|Create|Copy|Grant|Revoke|Call|Execute)/;

function isWriting(statement: unknown): boolean {
  return isRecord(statement) && Object.keys(statement).some((kind) => writing.test(kind));
}

function addProblem({ problems }: Reader, problem: SqlProblem): void {
  problems.set(`${problem.code} ${problem.name.toLowerCase()}`, problem);
}

/** Reads a query and its common table expressions. Returns its columns. */
function readQuery(reader: Reader, query: JsonRecord, environment: Environment): Relation {
  const ctes = new Map(environment.ctes);
  const clause = recordAt(query, "with");
  for (const entry of arrayAt(clause, "cte_tables")) {
    const cte = isRecord(entry) ? entry : {};
    const alias = recordAt(cte, "alias");
    const name = identifierOf(alias["name"])?.toLowerCase() ?? "";
    // A recursive table may refer to itself before its columns are known.
    if (clause["recursive"] === true) ctes.set(name, unknownRelation);
    const { columns, rows } = readQuery(reader, recordAt(cte, "query"), {
      ctes,
      outer: environment.outer,
    });
    ctes.set(name, { columns: namedColumns(alias) ?? columns, rows });
  }
  const limit = recordAt(recordAt(query, "limit_clause"), "LimitOffset");
  if (isRecord(limit["offset"])) reader.facts.broken.add("offset");
  const inner = { ctes, outer: environment.outer };
  const { columns, rows } = readBody(reader, recordAt(query, "body"), {
    environment: inner,
    order: query["order_by"],
  });
  const isLimited = isRecord(query["limit_clause"]) || isRecord(query["fetch"]);
  return { columns, rows: isLimited ? undefined : rows };
}

/** Returns the larger row count, or undefined if both are undefined. */
function larger(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.max(left, right);
}

/** Returns the columns that an alias defines, as in `AS t (a, b)`. */
function namedColumns(alias: JsonRecord): Columns {
  const names = arrayAt(alias, "columns").flatMap((column) => {
    const name = identifierOf(isRecord(column) ? (column["name"] ?? column) : column);
    return name === undefined ? [] : [name.toLowerCase()];
  });
  return names.length > 0 ? new Set(names) : undefined;
}

interface BodyContext {
  environment: Environment;
  order: unknown;
}

function readBody(reader: Reader, body: JsonRecord, context: BodyContext): Relation {
  const { environment } = context;
  if (isRecord(body["Select"])) return readSelect(reader, body["Select"], context);
  if (isRecord(body["Query"])) return readQuery(reader, body["Query"], environment);
  const sides = body["SetOperation"];
  if (isRecord(sides)) {
    const left = readBody(reader, recordAt(sides, "left"), { environment, order: undefined });
    const right = readBody(reader, recordAt(sides, "right"), { environment, order: undefined });
    return { columns: left.columns, rows: larger(left.rows, right.rows) };
  }
  reader.facts.writes ||= isWriting(body);
  return unknownRelation;
}

function readSelect(
  reader: Reader,
  select: JsonRecord,
  { environment, order }: BodyContext,
): Relation {
  const scope: Scope = {
    sources: new Map(),
    aliases: new Set(),
    outer: environment.outer,
    rows: undefined,
    readsTable: false,
  };
  const inner: Inside = { ctes: environment.ctes, outer: scope };
  const froms = arrayAt(select, "from");
  for (const from of froms) readFrom(reader, from, inner);
  const { readsTable } = scope;
  const projection = arrayAt(select, "projection");
  for (const item of projection) {
    const alias = isRecord(item)
      ? identifierOf(recordAt(item, "ExprWithAlias")["alias"])
      : undefined;
    if (alias !== undefined) scope.aliases.add(alias.toLowerCase());
  }
  const isStar = projection.some(
    (item) => isRecord(item) && ("Wildcard" in item || "QualifiedWildcard" in item),
  );
  const hasWhere = isRecord(select["selection"]);
  if (isStar && readsTable) reader.facts.broken.add("select_star");
  if (readsTable && !hasWhere) reader.facts.broken.add("missing_where");
  if (froms.length > 1 && !hasWhere) reader.facts.broken.add("cross_join");
  const parts = [
    "distinct",
    "projection",
    "selection",
    "group_by",
    "having",
    "qualify",
    "named_window",
    "sort_by",
  ];
  for (const part of parts) readExpression(reader, select[part], inner);
  readExpression(reader, order, inner);
  if (/"name":\[\{"Identifier":\{"value":"rand(?:om)?"/i.test(JSON.stringify(order ?? "")))
    reader.facts.broken.add("order_by_random");
  return {
    columns: outputOf(projection, scope),
    rows: isGathered(select) ? undefined : scope.rows,
  };
}

/** Returns the names of the output columns. They are unknown if a star covers unknown columns. */
function outputOf(projection: readonly unknown[], scope: Scope): Columns {
  const names = new Set<string>();
  for (const item of projection) {
    if (!isRecord(item)) return undefined;
    if ("Wildcard" in item || "QualifiedWildcard" in item) {
      const all = [...scope.sources.values()];
      if (all.includes(undefined)) return undefined;
      for (const column of all.flatMap((columns) => [...(columns ?? [])])) names.add(column);
      continue;
    }
    const expression = recordAt(item, "UnnamedExpr");
    const compound = arrayAt(expression, "CompoundIdentifier").at(-1);
    const name = identifierOf(
      recordAt(item, "ExprWithAlias")["alias"] ?? expression["Identifier"] ?? compound,
    );
    const called = arrayAt(recordAt(expression, "Function"), "name").at(-1);
    const other = isRecord(called) ? identifierOf(called["Identifier"]) : undefined;
    if (name !== undefined || other !== undefined) names.add((name ?? other ?? "").toLowerCase());
  }
  return names;
}

/** Reads the tables in one FROM entry, including joins. */
function readFrom(reader: Reader, from: unknown, inside: Inside): void {
  if (!isRecord(from)) return;
  readRelation(reader, from["relation"], inside);
  for (const join of arrayAt(from, "joins")) {
    if (!isRecord(join)) continue;
    readRelation(reader, join["relation"], inside);
    const operator = join["join_operator"];
    if (operator === "CrossJoin" || (isRecord(operator) && "CrossJoin" in operator))
      reader.facts.broken.add("cross_join");
    readExpression(reader, operator, inside);
  }
}

function readRelation(reader: Reader, relation: unknown, inside: Inside): void {
  const [kind, content] = Object.entries(isRecord(relation) ? relation : {})[0] ?? [];
  if (kind === undefined || !isRecord(content)) return;
  if (kind === "NestedJoin") {
    readFrom(reader, content["table_with_joins"], inside);
    return;
  }
  const { outer: scope } = inside;
  const alias = recordAt(content, "alias");
  const parts = nameParts(content["name"]);
  const add = ({ columns, rows }: Relation): void => {
    const name = identifierOf(alias["name"]) ?? parts.at(-1) ?? `(${scope.sources.size})`;
    scope.sources.set(name.toLowerCase(), namedColumns(alias) ?? columns);
    scope.rows = larger(scope.rows, rows);
  };
  if (kind === "Derived") {
    add(readQuery(reader, recordAt(content, "subquery"), inside));
  } else if (kind !== "Table" || parts.length === 0 || isRecord(content["args"])) {
    // A table function or anything else with unknown columns.
    readExpression(reader, content["args"] ?? content["expr"] ?? content["array_exprs"], inside);
    add(unknownRelation);
  } else {
    add(tableOf(reader, parts, inside));
  }
}

const unknownRelation: Relation = { columns: undefined, rows: undefined };

function tableOf(reader: Reader, parts: readonly string[], { ctes, outer }: Inside): Relation {
  const cte = parts.length === 1 ? ctes.get(parts[0]?.toLowerCase() ?? "") : undefined;
  if (cte !== undefined) return cte;
  const table = reader.lookup.find(parts);
  if (table === "opaque") return unknownRelation;
  if (table === undefined) {
    const { isComplete: isCertain } = reader.lookup;
    addProblem(reader, { code: "snippet_unknown_table", name: parts.join("."), isCertain });
    return unknownRelation;
  }
  reader.tables.push(table);
  outer.readsTable = true;
  return { columns: table.columns, rows: table.rows ?? 0 };
}

/** Fields of the tree that contain names other than columns. */
const skipped = new Set([
  "data_type",
  "alias",
  "collation",
  "NamedWindow",
  "window_name",
  "QualifiedWildcard",
  "span",
  "field",
]);

/** Reads every column that an expression names and every query that it contains. */
function readExpression(reader: Reader, node: unknown, environment: Environment): void {
  if (Array.isArray(node)) {
    for (const item of node) readExpression(reader, item, environment);
    return;
  }
  if (!isRecord(node)) return;
  if (isRecord(node["body"]) && "pipe_operators" in node) {
    readQuery(reader, node, environment);
    return;
  }
  for (const [kind, content] of Object.entries(node)) {
    if (skipped.has(kind) || kind.endsWith("_token")) continue;
    if (kind === "Exists") readExists(reader, content, environment);
    else if (kind === "Identifier") checkColumn(reader, [content], environment.outer);
    else if (kind === "CompoundIdentifier" && Array.isArray(content))
      checkColumn(reader, content, environment.outer);
    else if (kind === "Function" && isRecord(content))
      readExpression(reader, { ...content, name: undefined }, environment);
    else readExpression(reader, content, environment);
    if (
      (kind === "Like" || kind === "ILike") &&
      isRecord(content) &&
      startsWithWildcard(content["pattern"])
    ) {
      reader.facts.broken.add("leading_wildcard");
    }
  }
}

/** Reads a query inside `EXISTS`. Ignores its star and missing WHERE, because it returns no columns. */
function readExists(reader: Reader, content: unknown, environment: Environment): void {
  const { broken } = reader.facts;
  const whole = (["select_star", "missing_where"] as const).filter((rule) => !broken.has(rule));
  readExpression(reader, isRecord(content) ? content["subquery"] : content, environment);
  for (const rule of whole) broken.delete(rule);
}

function startsWithWildcard(pattern: unknown): boolean {
  return /"SingleQuotedString":"%/.test(JSON.stringify(pattern ?? ""));
}

/** Names that databases define outside of tables. */
const builtIn = new Set(
  "rowid oid _rowid_ ctid xmin xmax tableoid current_date current_time current_timestamp localtime localtimestamp current_user session_user user value excluded sysdate systimestamp level rownum true false null default".split(
    " ",
  ),
);

function checkColumn(
  reader: Reader,
  identifiers: readonly unknown[],
  scope: Scope | undefined,
): void {
  const written = identifiers.map((identifier) => identifierOf(identifier) ?? "");
  const names = written.map((name) => name.toLowerCase());
  const column = names.at(-1) ?? "";
  const owner = names.at(-2);
  const [first] = identifiers;
  const isPlaceholder = /^[:@$?]/.test(column) || builtIn.has(column);
  if (isPlaceholder || column === "" || !isRecord(first)) return;
  for (let at = scope; at !== undefined; at = at.outer) {
    if (isKnown(at, { column, owner, names })) return;
  }
  addProblem(reader, { code: "snippet_unknown_column", name: written.join("."), isCertain: true });
}

function isKnown(
  { sources, aliases }: Scope,
  { column, owner, names }: { column: string; owner: string | undefined; names: readonly string[] },
): boolean {
  const isIn = (columns: Columns): boolean => columns === undefined || columns.has(column);
  if (owner === undefined)
    return aliases.has(column) || sources.has(column) || [...sources.values()].some(isIn);
  if (sources.has(owner)) return isIn(sources.get(owner));
  // The name may be a field in a structured column.
  return [...sources.values()].some(
    (columns) => columns === undefined || columns.has(names[0] ?? ""),
  );
}

const aggregates = new Set(
  "count sum avg min max total group_concat string_agg array_agg json_agg jsonb_agg json_group_array bool_and bool_or every stddev stddev_pop stddev_samp variance var_pop var_samp corr percentile_cont percentile_disc mode median approx_count_distinct quantile any_value first last uniq".split(
    " ",
  ),
);

/** True if rows are grouped, aggregated into one, or limited by TOP. */
function isGathered(select: JsonRecord): boolean {
  const groups = arrayAt(recordAt(select, "group_by"), "Expressions")[0];
  if ("All" in recordAt(select, "group_by") || (Array.isArray(groups) && groups.length > 0))
    return true;
  const projection = arrayAt(select, "projection");
  return isRecord(select["top"]) || (projection.length > 0 && projection.every(isAggregate));
}

function isAggregate(item: unknown): boolean {
  const names = [
    ...JSON.stringify(item).matchAll(
      /"Function":\{"name":\[\{"Identifier":\{"value":"(\w{1,60})"/g,
    ),
  ];
  return (
    names.some(([, name]) => aggregates.has(name?.toLowerCase() ?? "")) &&
    !/"over":\{/.test(JSON.stringify(item))
  );
}

/** Returns the parts of a dotted name. */
function nameParts(name: unknown): string[] {
  return (Array.isArray(name) ? name : []).flatMap((part) => {
    const text = isRecord(part) ? identifierOf(part["Identifier"]) : undefined;
    return text === undefined ? [] : [text];
  });
}

function identifierOf(node: unknown): string | undefined {
  return isRecord(node) && typeof node["value"] === "string" ? node["value"] : undefined;
}
