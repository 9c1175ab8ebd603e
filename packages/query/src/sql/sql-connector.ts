import type { ResourceDetails } from "@ccl/catalog";
import { quoteIdentifier, type PostgresClient, type SqliteDatabase } from "@ccl/sql";
import { sql } from "kysely";
import type { Connector, PlanFragment } from "../connector/connector.ts";
import { allOperations } from "../plan/logical-plan.ts";
import {
  partsOf,
  typedInputsOf,
  type TypedExpression,
  type TypedScan,
  type TypedStep,
} from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { postgresSource, sqliteSource } from "../select/sql-source.ts";
import { compileFragment } from "./compile-fragment.ts";
import { lowerComparison } from "./lower-comparison.ts";
import { postgresDialect } from "./postgres-dialect.ts";
import { runPostgres } from "./run-postgres.ts";
import { runSqlite } from "./run-sqlite.ts";
import { sqliteDialect, sqliteTakes } from "./sqlite-dialect.ts";

/** How a SQL source is read. */
export interface SqlConnectorOptions {
  /** Used in messages. The kind of database by default. */
  name?: string | undefined;
  /** Schema and table of a resource. By default the last part of its address, with `public.orders` as two names. */
  tableOf?(
    resource: TypedScan["resource"],
  ): readonly [table: string] | readonly [schema: string, table: string];
}

type TableName = ReturnType<NonNullable<SqlConnectorOptions["tableOf"]>>;

/**
 * A read-only connector for PostgreSQL (a pg `Pool` or `Client`, or PGlite) or SQLite (of `openSqlite`). Aborting cancels
 * the statement on a pool's server. On a single connection, `timeoutMs` does. A SQLite file is read in a separate process,
 * which an abort ends. An in-memory database, or a handle that was passed in, blocks the thread.
 * @throws QueryError `invalid_options` for tables of the database's own schemas
 */
export function sqlConnector(
  handle: SqliteDatabase | PostgresClient,
  options: SqlConnectorOptions = {},
): Connector {
  const isSqlite = isSqliteDatabase(handle);
  const name = options.name ?? (isSqlite ? "SQLite" : "PostgreSQL");
  const compile = ({ steps, columns }: PlanFragment): ReturnType<typeof compileFragment> =>
    compileFragment(
      { steps, columns },
      {
        dialect: isSqlite ? sqliteDialect : postgresDialect,
        parameters: isSqlite ? "question" : "numbered",
        tableOf: (scan) => sql.id(...tableOf(scan, options)),
        storedTypesOf: isSqlite
          ? (scan) => sqliteColumnTypes(handle, tableOf(scan, options))
          : undefined,
      },
    );
  const tableOfResource = (resource: ResourceDetails): readonly string[] => {
    const found = tableOf({ resource }, options);
    return isSqlite && found.length === 1 ? ["main", ...found] : found;
  };
  return {
    name,
    operations: allOperations,
    sql: isSqlite ? sqliteSource(handle, tableOfResource) : postgresSource(handle, tableOfResource),
    takes: (step, resources) => takesStep(step, resources, isSqlite ? "sqlite" : "postgresql"),
    describe: (fragment) => compile(fragment).sql,
    run(fragment, run) {
      const query = compile(fragment);
      const work = {
        name,
        sql: query.sql,
        parameters: query.parameters,
        columns: fragment.columns,
      };
      if (!isSqlite) return runPostgres(handle, work, run);
      if (handle.readApart === undefined) checkPairs(handle, fragment, options);
      return runSqlite(handle, work, run);
    },
  };
}

/** True if the database computes the step with the plan's semantics. */
function takesStep(
  step: TypedStep,
  resources: readonly ResourceDetails[],
  database: "sqlite" | "postgresql",
): boolean {
  const takesPart = database === "sqlite" ? sqliteTakes(resources) : () => true;
  return expressionsOf(step).every((expression) => takesAll(expression, takesPart));
}

function isSqliteDatabase(handle: SqliteDatabase | PostgresClient): handle is SqliteDatabase {
  return "prepare" in handle && "driver" in handle;
}

/** The table of a scan, by default the last part of its address. */
function tableOf(
  { resource }: Pick<TypedScan, "resource">,
  options: SqlConnectorOptions,
): TableName {
  const name = options.tableOf?.(resource) ?? tableOfAddress(resource);
  const [table = "", schema = ""] = [...name].reverse();
  if (isSystemName(schema) || isSystemName(table)) {
    const message = `${JSON.stringify(resource.id)} is of the database's own tables, which are not read.`;
    throw new QueryError("invalid_options", message, { details: { resource: resource.id } });
  }
  return name;
}

/** True for names in the system catalogs of PostgreSQL, SQLite and the SQL standard. */
function isSystemName(name: string): boolean {
  return /^(?:pg_.*|sqlite_.*|pragma_.*|information_schema)$/i.test(name);
}

function tableOfAddress(resource: TypedScan["resource"]): TableName {
  const address = resource.uri ?? resource.id;
  const last = decodeURIComponent(address.split(/[?#]/)[0]?.split(/[/:]/).at(-1) ?? "");
  const dot = last.indexOf(".");
  return dot < 0 ? [last] : [last.slice(0, dot), last.slice(dot + 1)];
}

function sqliteColumnTypes(database: SqliteDatabase, name: TableName): ReadonlyMap<string, string> {
  const [table, schema = null] = [...name].reverse();
  const rows = database
    .prepare("SELECT name, type FROM pragma_table_xinfo(?, ?)")
    .all(table ?? null, schema);
  return new Map(rows.map(({ name, type }) => [String(name), String(type)]));
}

/** Limit of row pairs in joins that nothing can interrupt: in memory, or in a handle that was passed in. */
const maxJoinPairs = 1e9;

/** Checks the product of the tables' row counts before the start. @throws QueryError `limit_exceeded` */
function checkPairs(
  database: SqliteDatabase,
  { steps }: PlanFragment,
  options: SqlConnectorOptions,
): void {
  if (!steps.some(({ op }) => op === "join")) return;
  const rows = new Map<string, number>();
  let pairs = 0;
  for (const step of steps) {
    const inputs = typedInputsOf(step).map((name) => rows.get(name) ?? 0);
    const [first = 0, second = 0] = inputs;
    if (step.op === "scan") rows.set(step.name, rowCount(database, tableOf(step, options)));
    else if (step.op === "join") rows.set(step.name, first * second);
    else if (step.op === "union")
      rows.set(
        step.name,
        inputs.reduce((sum, count) => sum + count, 0),
      );
    else rows.set(step.name, step.op === "limit" ? Math.min(first, step.count) : first);
    if (step.op === "join") pairs += first * second;
  }
  if (pairs <= maxJoinPairs) return;
  const message = `The joins may try more than the ${maxJoinPairs} pairs of rows allowed where SQLite cannot be interrupted; filter first, or open the database as a file with openSqlite, which can be.`;
  throw new QueryError("limit_exceeded", message, {
    details: { limit: "maxJoinPairs", max: maxJoinPairs },
  });
}

function rowCount(database: SqliteDatabase, name: TableName): number {
  const quoted = name.map(quoteIdentifier).join(".");
  return Number(database.prepare(`SELECT count(*) AS n FROM ${quoted}`).get()?.["n"]);
}

/** PostgreSQL changes case by locale, SQLite only in ASCII. */
function isCased(expression: TypedExpression): boolean {
  return expression.op === "call" && /^(?:lower|upper)$/.test(expression.function);
}

function takesAll(expression: TypedExpression, takes: (part: TypedExpression) => boolean): boolean {
  const lower = lowerComparison(expression)?.lower;
  const parts = partsOf(expression).flatMap((part) => (part === lower ? partsOf(part) : [part]));
  return !isCased(expression) && takes(expression) && parts.every((part) => takesAll(part, takes));
}

/** Every expression that a step computes. Sort, limit and distinct use columns unchanged. */
function expressionsOf(step: TypedStep): TypedExpression[] {
  const asColumns = (): TypedExpression[] =>
    step.columns.map((column) => ({ op: "column", ...column }));
  switch (step.op) {
    case "scan":
    case "limit":
      return [];
    case "filter":
      return [step.where];
    case "project":
      return step.values;
    case "join":
      return step.on.flatMap(({ left, right }) => [left, right]);
    case "aggregate":
      return [
        ...step.by,
        ...step.aggregates.flatMap(({ argument, type, isNullable }) => [
          ...(argument ? [argument] : []),
          { op: "column", name: "", type, isNullable } as const,
        ]),
      ];
    case "union":
      return step.values.flat();
    case "sort":
    case "distinct":
      return asColumns();
  }
}
