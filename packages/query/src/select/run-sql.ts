import { traced } from "@ccl/core/tracing";
import { quoteIdentifier } from "@ccl/sql";
import type { ResourceDetails } from "@ccl/catalog";
import { systemClock } from "@ccl/core";
import { throwIfAborted, untilAborted } from "@ccl/core/async";
import type {
  QueryEngine,
  RunOptions,
  SqlColumn,
  SqlRows,
  SqlSource,
} from "../connector/connector.ts";
import { findConnector } from "../connector/find-connector.ts";
import { sharedEngine, type SharedEngine } from "../execute/shared-engine.ts";
import type { ExecutePlanOptions } from "../execute/execute-plan.ts";
import {
  limitsOf,
  metered,
  startDeadline,
  type Deadline,
  type Traffic,
} from "../execute/execution-limits.ts";
import { rowBuilder, type PlanRow } from "../execute/query-result.ts";
import { invalidQuery, QueryError } from "../query-error.ts";
import { hasParameters } from "../connector/scan-columns.ts";
import { doubtsOf, totalOf, type Ask } from "./doubts.ts";
import { loadTables } from "./load-tables.ts";
import { dialectMeaning } from "./dialect-macros.ts";
import { discreetError } from "../validate/discreet-error.ts";
import type { TableUse } from "./name-scope.ts";
import { clausesOf } from "./clauses-of.ts";
import { parseSql, type ParseSqlOptions, type SqlPlan } from "./parse-sql.ts";
import { rowCondition } from "./row-condition.ts";
import type { SqlSpelling } from "./sql-functions.ts";
import { duckDbStatement, nativeStatement } from "./write-select.ts";

/** Options of `runSql`, `executeSql` and `explainSql`. */
export interface RunSqlOptions extends ParseSqlOptions {
  /** Connectors, keyed by the address prefix that each serves. */
  connectors: ExecutePlanOptions["connectors"];
  /**
   * Runs statements that no single source can run. By default, DuckDB is opened for each statement if it is
   * installed.
   */
  engine?: QueryEngine | undefined;
  limits?: ExecutePlanOptions["limits"];
  signal?: AbortSignal | undefined;
}

/** The result of a statement. */
export interface SqlResult {
  columns: SqlColumn[];
  rows: PlanRow[];
  /** What ran the statement: a source's name, or DuckDB over loaded tables. */
  ranOn: string;
  durationMs: number;
  /** Number of rows without the statement's own LIMIT, if it cut any. */
  total?: number | undefined;
  /**
   * What is suspicious about the result, in up to 60 tokens: `country = 'usa': no row has it; there
   * is 'USA' (91).`
   */
  doubts: string[];
}

/**
 * Runs one SELECT over the catalog's tables, in any number of sources, and returns the rows.
 * @throws QueryError `plan_invalid` with the issues of `parseSql`, `engine_missing` if DuckDB is
 * needed but not installed, `source_failed`, `engine_failed`, `limit_exceeded`, `aborted`
 */
export function runSql(text: string, options: RunSqlOptions): Promise<PlanRow[]> {
  return withEngine(options, async (shared) => (await runTraced(text, shared)).rows);
}

/**
 * Like `runSql`, but also returns the ordered columns, where the statement ran, and doubts about the result. To
 * find doubts, it runs additional small queries on the sources within the time limit.
 */
export function executeSql(text: string, given: RunSqlOptions): Promise<SqlResult> {
  return withEngine(given, async (shared) => {
    const { timeoutMs } = limitsOf(given.limits);
    const endMs = systemClock.now() + timeoutMs;
    const { plan, ...result } = await runTraced(text, shared);
    let asks = 0;
    const ask: Ask = async (question, tables) => {
      const leftMs = endMs - systemClock.now();
      asks += 1;
      if (asks > maxAsks || leftMs < 1 || !tables.every((table) => isReadAgain(table, given)))
        return undefined;
      const limits = { ...given.limits, timeoutMs: leftMs };
      const asked = runQuery(question, { ...shared, limits });
      return await asked.then(
        ({ rows }) => rows,
        () => undefined,
      );
    };
    const { rows } = result;
    const doubts = await doubtsOf(plan.resolved, rows, ask);
    return { ...result, total: await totalOf(plan, rows.length, ask), doubts };
  });
}

/** Maximum number of statements to find doubts about one result. */
const maxAsks = 16;

function isReadAgain(resource: ResourceDetails, { connectors }: RunSqlOptions): boolean {
  const { sql, isLocal = sql !== undefined } = findConnector(connectors, resource).connector;
  return isLocal && !hasParameters(resource);
}

type Shared = Omit<RunSqlOptions, "engine" | "details"> & {
  details: readonly ResourceDetails[];
  engine: SharedEngine;
};

async function withEngine<T>(
  given: RunSqlOptions,
  work: (shared: Shared) => Promise<T>,
): Promise<T> {
  throwIfAborted(given.signal, QueryError);
  const engine = sharedEngine(given.engine);
  try {
    return await work({ ...given, details: [...given.details], engine });
  } finally {
    await engine.close();
  }
}

type Ran = Omit<SqlResult, "doubts"> & { plan: SqlPlan };

function runTraced(text: string, shared: Shared): Promise<Ran> {
  return traced("query sql", {}, async (span) => {
    const result = await runQuery(text, shared);
    span.set({ "ccl.query.ran_on": result.ranOn, "ccl.query.rows": result.rows.length });
    return result;
  });
}

async function runQuery(text: string, options: Shared): Promise<Ran> {
  const { timeoutMs, eachSource: _, ...limits } = limitsOf(options.limits);
  const startMs = systemClock.now();
  const deadline = startDeadline(options.signal, { timeoutMs, what: "The query" });
  const run: RunOptions = {
    signal: deadline.signal,
    timeoutMs: timeoutMs < Infinity ? timeoutMs : undefined,
    batchRows: 2_048,
  };
  const traffic: Traffic = { rows: 0, bytes: 0 };
  try {
    const plan = await untilAborted(checkedPlan(text, options), deadline.signal, QueryError);
    const { ranOn, columns: own, batches } = await started(plan, { ...options, run, deadline });
    const columns = namedColumns(plan, own);
    const rows: PlanRow[] = [];
    const toRows = rowBuilder(columns);
    for await (const batch of metered(batches, { traffic, limits, what: "The query" }))
      rows.push(...toRows(batch));
    const late = deadline.failure();
    if (late !== undefined) throw late;
    return { plan, columns, rows, ranOn, durationMs: systemClock.now() - startMs };
  } catch (error) {
    throw deadline.failure() ?? discreetError(failed(error), options);
  } finally {
    deadline.end();
  }
}

/** Where a statement would run, and its text there. */
export interface SqlExplanation {
  ranOn: string;
  /** Text for the source or DuckDB, without access rule conditions. */
  sql: string;
  /** Tables that the statement reads, with the needed columns and the source's name. */
  tables: (SqlPlan["tables"][number] & { source: string })[];
  /** Clauses of the statement, in execution order. */
  steps: string[];
}

/**
 * Explains how a statement would run. Reads only what is needed to check an in-memory database's limits.
 * @throws like `runSql`
 */
export async function explainSql(text: string, options: RunSqlOptions): Promise<SqlExplanation> {
  const plan = await checkedPlan(text, options);
  const native = await nativeOf(plan, options);
  const sourceOf = new Map(
    plan.resolved.tables.map(({ resource }) => [
      resource.id,
      findConnector(options.connectors, resource).connector.name,
    ]),
  );
  const tables = plan.tables.map((table) => ({
    ...table,
    source: sourceOf.get(table.resource) ?? "",
  }));
  const summary = { tables, steps: clausesOf(plan) };
  if (native.statement !== undefined) return { ranOn: native.name, sql: native.shown, ...summary };
  const statement = duckDbStatement(plan, {
    spelling: spellingOf(plan, options),
    tableOf: ({ resource }) => quoteIdentifier(resource.id),
  });
  return { ranOn: "DuckDB", sql: statement, ...summary };
}

async function checkedPlan(text: string, options: ParseSqlOptions): Promise<SqlPlan> {
  const checked = await parseSql(text, options);
  if (checked.ok) return checked.value;
  throw invalidQuery(checked.issues);
}

type Running = Shared & { run: RunOptions; deadline: Deadline };

async function started(plan: SqlPlan, options: Running): Promise<SqlRows & { ranOn: string }> {
  const native = await nativeOf(plan, options);
  if (native.statement !== undefined) {
    const { statement, source, name } = native;
    const rows = await source.run(
      { text: statement, columns: plan.resolved.columns.map((column) => column ?? "column") },
      options.run,
    );
    return { ...rows, ranOn: name };
  }
  const opening = options.engine.open(native.reason);
  const engine = await untilAborted(opening, options.run.signal, QueryError);
  const spelling = spellingOf(plan, options);
  const { inputs, nameOf } = loadTables(plan, {
    ...options,
    limits: options.limits,
    spelling,
    batchRows: 8_192,
    clock: systemClock,
  });
  const tableOf = (use: TableUse): string => nameOf.get(use) ?? "";
  const statement = duckDbStatement(plan, { spelling, tableOf });
  const work = { text: statement, inputs, ...dialectMeaning(spelling, statement) };
  const rows = await engine.runSql(work, options.run);
  return { ...rows, ranOn: engine.name };
}

type SourceOptions = Omit<RunSqlOptions, "engine">;

type Native =
  | { statement: string; shown: string; source: SqlSource; name: string }
  | { statement?: undefined; reason: string };

/**
 * Prevents the statement's conditions from seeing rows that a rule hides, because a failing condition may quote a
 * value.
 */
const fences = { postgresql: "OFFSET 0", sqlite: "LIMIT -1" };

/** Returns the statement for the one database with all of its tables, if that database understands it. */
async function nativeOf(plan: SqlPlan, options: SourceOptions): Promise<Native> {
  const { tables, spellings } = plan.resolved;
  const connectors = new Set(
    tables.map(({ resource }) => findConnector(options.connectors, resource).connector),
  );
  const [connector] = connectors;
  const source = connector?.sql;
  if (connector === undefined || connectors.size > 1 || source === undefined)
    return {
      reason:
        tables.length === 0
          ? "it reads no table"
          : connectors.size > 1
            ? "its tables are in several sources"
            : "its source runs no SQL",
    };
  const meant = options.dialect ?? source.dialect;
  if (!spellings.has(source.dialect) || meant !== source.dialect)
    return { reason: `${connector.name} does not support all of its syntax` };
  const conditions = tables.map(({ resource }) =>
    rowCondition(resource, { ...options, dialect: source.dialect }),
  );
  if (conditions.includes("unknown")) return { reason: "an access rule must be applied first" };
  const nativeText = (written: (condition: string) => string): string =>
    nativeStatement(plan, (use) => {
      const name = source.tableOf(use.resource).map(quoteIdentifier).join(".");
      const condition = conditions[tables.indexOf(use)];
      if (!use.isWhole && condition === undefined) return name;
      const columns = (use.resource.columns ?? []).map((column) => quoteIdentifier(column.name));
      const end =
        condition === undefined ? "" : ` WHERE ${written(condition)} ${fences[source.dialect]}`;
      return `(SELECT ${columns.join(", ")} FROM ${name}${end})`;
    });
  const text = nativeText((condition) => condition);
  const refusal = await source.refusal(plan.resolved, text);
  if (refusal !== undefined) return { reason: refusal };
  return {
    statement: text,
    shown: nativeText(() => "true /* by a rule of access */"),
    source,
    name: connector.name,
  };
}

/** Returns the dialect of a statement that DuckDB runs. */
function spellingOf(plan: SqlPlan, options: SourceOptions): SqlSpelling {
  const { spellings, tables } = plan.resolved;
  if (options.dialect !== undefined) return options.dialect;
  const { connectors } = options;
  const sources =
    tables.length === 0
      ? Object.values(connectors)
      : tables.map(({ resource }) => findConnector(connectors, resource).connector);
  const dialects = new Set(sources.map(({ sql }) => sql?.dialect));
  const [only] = dialects;
  if (dialects.size === 1 && only !== undefined && spellings.has(only)) return only;
  const order =
    only === undefined || dialects.size > 1
      ? (["duckdb", "postgresql", "sqlite"] as const)
      : (["postgresql", "duckdb", "sqlite"] as const);
  return order.find((spelling) => spellings.has(spelling)) ?? "postgresql";
}

/** Returns the statement's column names, or the source's if the column counts differ. Numbers repeated names. */
function namedColumns({ resolved }: SqlPlan, own: readonly SqlColumn[]): SqlColumn[] {
  const { columns: names, isOfStar } = resolved;
  const used = new Set<string>();
  return own.map(({ name: ownName, type }, index) => {
    const isOwn = isOfStar[index] === true && names.includes(ownName);
    const wanted = (names.length === own.length && !isOwn ? names[index] : undefined) ?? ownName;
    let name = wanted;
    for (let count = 2; used.has(name); count++) name = `${wanted}_${count}`;
    used.add(name);
    return { name, type };
  });
}

function failed(error: unknown): unknown {
  if (QueryError.isInstance(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new QueryError(
    "source_failed",
    `The source refused the statement: ${reason.slice(0, 300)}`,
    { cause: error },
  );
}
