import { untilAborted } from "@ccl/core/async";
import {
  createPostgresSession,
  quoteIdentifier,
  type PostgresClient,
  type SqliteDatabase,
} from "@ccl/sql";
import type { ColumnBatch, PlanValue } from "../connector/column-batch.ts";
import type {
  ResolvedStatement,
  RunOptions,
  SqlRows,
  SqlSource,
  SqlStatement,
} from "../connector/connector.ts";
import type { DataType } from "../plan/data-type.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { exactInt } from "../connector/decode-value.ts";
import { rowDecoder } from "./batch-rows.ts";
import { maxTextCharacters, runPostgres } from "./run-postgres.ts";
import { sqliteRows } from "./run-sqlite.ts";

/** Maximum number of row pairs for a statement that cannot be interrupted: about a second in SQLite. */
const maxPairs = 2e7;
/** Maximum PostgreSQL planner cost of such a statement. A page read costs 1, a million rows about 20,000. */
const maxCost = 2e4;

type TableOf = SqlSource["tableOf"];

/**
 * Runs SQLite statements. A file is read in a process that the deadline ends, an in-memory database within limits.
 */
export function sqliteSource(database: SqliteDatabase, tableOf: TableOf): SqlSource {
  return {
    dialect: "sqlite",
    tableOf,
    async refusal(statement) {
      if (database.readApart !== undefined) return undefined;
      const reason = unboundedReason(statement);
      if (reason !== undefined) return reason;
      let pairs = 1;
      for (const { resource } of statement.tables) {
        const name = tableOf(resource).map(quoteIdentifier).join(".");
        pairs *= Number(database.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.["n"]);
      }
      if (pairs <= maxPairs) return undefined;
      return `it may try more than ${maxPairs} pairs of rows, and nothing can interrupt it there`;
    },
    run: (statement, options) => runOnSqlite(database, statement, options),
  };
}

const growing: ReadonlySet<string> = new Set(
  "replace repeat lpad rpad printf regexp_replace generate_series regexp_count regexp_like regexp_substr regexp_match regexp_split_to_table regexp_split_to_array".split(
    " ",
  ),
);

/**
 * Finds costs that neither row counts nor a planner reveal: nested `replace` calls multiply the length of a
 * string.
 */
function unboundedReason({ isRecursive, functions }: ResolvedStatement): string | undefined {
  if (isRecursive) return "a recursive query cannot be interrupted there";
  const calls = functions.filter(({ name }) => growing.has(name));
  if (calls.length > 1 || calls.some(({ name }) => name !== "replace"))
    return "its strings may grow, and nothing can interrupt it there";
  return undefined;
}

async function runOnSqlite(
  database: SqliteDatabase,
  { text, columns }: SqlStatement,
  options: RunOptions,
): Promise<SqlRows> {
  // In this process, the driver returns rows as objects keyed by column name, and names may repeat.
  const names = columns.map((_, index) => `o${index}`).join(", ");
  const sql =
    database.readApart === undefined
      ? `WITH ccl_rows(${names}) AS MATERIALIZED (${text}) SELECT * FROM ccl_rows`
      : text;
  const untyped = columns.map((name): PlanColumn => ({ name, type: { kind: "text" } }));
  const batchOf = rowDecoder("SQLite", untyped, () => sqliteValue);
  const rows = sqliteRows(database, { name: "SQLite", sql, parameters: [] }, options);
  // A statement that SQLite rejects fails here, before the caller reads rows.
  const first = await rows.next();
  return {
    columns: columns.map((name) => ({ name })),
    batches: (async function* batches(): AsyncGenerator<ColumnBatch, void> {
      try {
        for (let next = first; next.done !== true; next = await rows.next())
          yield batchOf(next.value);
      } finally {
        await rows.return();
      }
    })(),
  };
}

function sqliteValue(value: unknown): PlanValue | undefined {
  if (typeof value === "bigint") return exactInt(value) ?? value;
  if (typeof value === "string" || typeof value === "number") return value;
  if (value instanceof Uint8Array)
    return [...value].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return undefined;
}

/** Runs PostgreSQL statements, which a timeout or cancel ends. PGlite has neither, so the planner cost is limited. */
export function postgresSource(client: PostgresClient, tableOf: TableOf): SqlSource {
  return {
    dialect: "postgresql",
    tableOf,
    async refusal(statement, text) {
      if (!("transaction" in client)) return undefined;
      const reason = unboundedReason(statement);
      if (reason !== undefined) return reason;
      const cost = await estimatedCost(client, text);
      if (cost === undefined || cost <= maxCost) return undefined;
      return `its planner expects a cost beyond ${maxCost}, and nothing can interrupt it there`;
    },
    run: (statement, options) => runOnPostgres(client, statement, options),
  };
}

/** Returns undefined for a statement that PostgreSQL rejects. Running it then reveals the reason. */
async function estimatedCost(client: PostgresClient, text: string): Promise<number | undefined> {
  const session = createPostgresSession(client);
  const rows = await session.query(`EXPLAIN ${text}`).catch(() => []);
  const [line] = rows.flatMap((row) => Object.values(row));
  const cost = /\.\.(\d+(?:\.\d+)?) rows=/.exec(typeof line === "string" ? line : "")?.[1];
  return cost === undefined ? undefined : Number(cost);
}

/** Decoded types by OID in pg_type.dat. All others are text. */
const kinds: Readonly<Record<number, DataType["kind"]>> = {
  16: "bool",
  20: "int",
  21: "int",
  23: "int",
  26: "int",
  700: "float",
  701: "float",
  1700: "decimal",
  1082: "date",
  1114: "timestamp",
  1184: "timestamptz",
};

async function runOnPostgres(
  client: PostgresClient,
  { text }: SqlStatement,
  options: RunOptions,
): Promise<SqlRows> {
  const asked = client.query(`SELECT * FROM (${text}) AS ccl_rows LIMIT 0`);
  const { fields = [] } = await untilAborted(asked, options.signal, QueryError);
  const columns = fields.map(({ name, dataTypeID }) => ({
    name,
    type: kinds[dataTypeID] ?? "text",
  }));
  const outputs = columns.map(({ type }, index) =>
    ["bool", "int", "float"].includes(type)
      ? `o${index}`
      : `left(CAST(o${index} AS text), ${maxTextCharacters + 1}) AS o${index}`,
  );
  const names = columns.map((_, index) => `o${index}`);
  const work = {
    name: "PostgreSQL",
    sql: `SELECT ${outputs.join(", ")} FROM (${text}) AS ccl_rows(${names.join(", ")})`,
    parameters: [],
    columns: columns.map(({ name, type }) => ({ name, type: decodedType(type) })),
  };
  return { columns, batches: runPostgres(client, work, options) };
}

/** Returns the type to decode. Decimals keep their digits unchanged. */
function decodedType(type: DataType["kind"]): DataType {
  return type === "decimal" ? { kind: "text" } : { kind: type };
}
