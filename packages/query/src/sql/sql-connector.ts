import type { ResourceDetails } from "@ccl/catalog";
import type { PostgresClient, SqliteDatabase } from "@ccl/sql";
import { sql } from "kysely";
import type { Connector, PlanFragment } from "../connector/connector.ts";
import type { PlanOperation } from "../plan/logical-plan.ts";
import {
  partsOf,
  type TypedExpression,
  type TypedScan,
  type TypedStep,
} from "../plan/typed-plan.ts";
import { compileFragment } from "./compile-fragment.ts";
import { postgresDialect, postgresTakes } from "./postgres-dialect.ts";
import { runPostgres } from "./run-postgres.ts";
import { runSqlite, type SqlWork } from "./run-sqlite.ts";
import { sqliteDialect, sqliteTakes } from "./sqlite-dialect.ts";

/** How a SQL source is read. */
export interface SqlConnectorOptions {
  /** For messages; the kind of database by default. */
  name?: string | undefined;
  /** Schema and table of a resource: the last part of its address by default, `public.orders` as two names. */
  tableOf?(
    resource: TypedScan["resource"],
  ): readonly [table: string] | readonly [schema: string, table: string];
}

type TableName = ReturnType<NonNullable<SqlConnectorOptions["tableOf"]>>;

const operations: ReadonlySet<PlanOperation> = new Set([
  "scan",
  "filter",
  "project",
  "join",
  "aggregate",
  "sort",
  "limit",
  "union",
  "distinct",
]);

/**
 * A connector for PostgreSQL (a pg `Pool` or `Client`, or PGlite) or for SQLite (of `openSqlite`). It only ever reads.
 * Aborting cancels the statement on a pool's server; on a single connection `timeoutMs` does. SQLite's calls block the
 * thread, so that there an abort is seen between batches.
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
  return {
    name,
    operations,
    takes: (step, resources) => takesStep(step, resources, isSqlite ? "sqlite" : "postgresql"),
    describe: (fragment) => compile(fragment).sql,
    run(fragment, run) {
      const query = compile(fragment);
      const work = {
        name,
        sql: query.sql,
        parameters: query.parameters,
        columns: fragment.columns,
        end: endOf(fragment),
      };
      return isSqlite ? runSqlite(handle, work, run) : runPostgres(handle, work, run);
    },
  };
}

/** True where the database computes the step as the plan means it. */
export function takesStep(
  step: TypedStep,
  resources: readonly ResourceDetails[],
  database: "sqlite" | "postgresql",
): boolean {
  const takesPart = database === "sqlite" ? sqliteTakes(resources) : postgresTakes;
  return expressionsOf(step).every((expression) => takesAll(expression, takesPart));
}

function endOf({ steps }: PlanFragment): SqlWork["end"] {
  if (steps.at(-1)?.op === "limit") return "limited";
  return steps.some(({ op }) => op === "sort") ? "ordered" : "open";
}

function isSqliteDatabase(handle: SqliteDatabase | PostgresClient): handle is SqliteDatabase {
  return "prepare" in handle && "driver" in handle;
}

/** The table of a scan, by the last part of its address where nothing else is told. */
export function tableOf({ resource }: TypedScan, options: SqlConnectorOptions = {}): TableName {
  if (options.tableOf !== undefined) return options.tableOf(resource);
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

function takesAll(expression: TypedExpression, takes: (part: TypedExpression) => boolean): boolean {
  return takes(expression) && partsOf(expression).every((part) => takesAll(part, takes));
}

/** Every expression that a step computes. A sort, a limit and a distinct work on columns as they are. */
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
