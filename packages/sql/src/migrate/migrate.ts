import type { PostgresClient, PostgresSession } from "../postgres/postgres-client.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { SqlError } from "../sql-error.ts";
import type { TransactionAction } from "../transaction/transaction-options.ts";
import { isSqliteDatabase, transaction } from "../transaction/transaction.ts";

/** One step of a schema. */
export interface Migration<Transaction> {
  /** Version after the step. Starts at 1 and increases by one with each step. */
  version: number;
  /** Statements, or an action that runs them. All steps share one transaction. */
  up: string | TransactionAction<Transaction, void>;
}

/** The component that owns the schema, and its steps. */
export interface MigrateOptions<Transaction> {
  /**
   * Name of the component in the database, in lower case with underscores, e.g. `artifact_store`.
   */
  component: string;
  /** All steps ever released, oldest first. Never change a released step. */
  migrations: readonly Migration<Transaction>[];
  signal?: AbortSignal | undefined;
}

/** Schema version before and after the call. 0 means that there was no schema. */
export interface MigrationOutcome {
  from: number;
  to: number;
}

/**
 * Migrates a component's tables to the newest version in one transaction. Processes that start at the same time
 * wait for each other. The table `ccl_schema` stores the versions.
 * @throws SqlError `schema_newer` if a newer version of the program created the tables, `invalid_input` for a gap
 * in the versions, and any error of a step. If an error is thrown, nothing has changed.
 */
export function migrate(
  database: SqliteDatabase,
  options: MigrateOptions<SqliteDatabase>,
): Promise<MigrationOutcome>;
/** Migrates a PostgreSQL database under an advisory lock of the transaction. */
export function migrate(
  client: PostgresClient | PostgresSession,
  options: MigrateOptions<PostgresSession>,
): Promise<MigrationOutcome>;
export async function migrate(
  target: SqliteDatabase | PostgresClient | PostgresSession,
  options: MigrateOptions<SqliteDatabase | PostgresSession>,
): Promise<MigrationOutcome> {
  checkOptions(options);
  return isSqliteDatabase(target)
    ? migrateSqlite(target, options)
    : migratePostgres(target, options);
}

// One table for all components, because a transaction may create tables for any of them.
const createVersions = `CREATE TABLE IF NOT EXISTS ccl_schema (component TEXT PRIMARY KEY, version INTEGER NOT NULL)`;

async function migrateSqlite(
  database: SqliteDatabase,
  options: MigrateOptions<SqliteDatabase>,
): Promise<MigrationOutcome> {
  const { component, migrations, signal } = options;
  const readVersion = (on: SqliteDatabase): number =>
    Number(
      on.prepare("SELECT version FROM ccl_schema WHERE component = ?").get(component)?.[
        "version"
      ] ?? 0,
    );
  // An existing schema needs no lock, so opening does not wait for a writer.
  const hasVersions = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'ccl_schema'";
  const found = database.prepare(hasVersions).get() === undefined ? 0 : readVersion(database);
  if (stepsAfter(found, options).length === 0) return { from: found, to: found };
  const action = async (on: SqliteDatabase): Promise<MigrationOutcome> => {
    on.exec(createVersions);
    const from = readVersion(on);
    for (const { up } of stepsAfter(from, options)) {
      if (typeof up === "string") on.exec(up);
      else await up(on);
    }
    on.prepare("INSERT OR REPLACE INTO ccl_schema (component, version) VALUES (?, ?)").run(
      component,
      migrations.length,
    );
    return { from, to: migrations.length };
  };
  return transaction(database, action, { signal });
}

// A number that other programs are unlikely to lock: the first 48 bits of the SHA-256 hash of "@ccl/sql migrate".
const advisoryLock = 0x4d62_d72b_32fb;

async function migratePostgres(
  client: PostgresClient | PostgresSession,
  options: MigrateOptions<PostgresSession>,
): Promise<MigrationOutcome> {
  const { component, migrations, signal } = options;
  const readVersion = async (on: PostgresSession): Promise<number> => {
    const [there] = await on.query("SELECT to_regclass('ccl_schema') IS NOT NULL AS yes");
    if (there?.["yes"] !== true) return 0;
    const versions = "SELECT version FROM ccl_schema WHERE component = $1";
    return Number((await on.query(versions, [component]))[0]?.["version"] ?? 0);
  };
  const found = await transaction(client, readVersion, { mode: "read", signal });
  if (stepsAfter(found, options).length === 0) return { from: found, to: found };
  const action = async (on: PostgresSession): Promise<MigrationOutcome> => {
    // Lock before creating the table, because even CREATE TABLE IF NOT EXISTS fails if two sessions
    // run it at once.
    await on.query("SELECT pg_advisory_xact_lock($1::bigint)", [advisoryLock]);
    await on.exec(createVersions);
    const from = await readVersion(on);
    const steps = stepsAfter(from, options);
    for (const { up } of steps) await (typeof up === "string" ? on.exec(up) : up(on));
    const keep = `INSERT INTO ccl_schema (component, version) VALUES ($1, $2)
      ON CONFLICT (component) DO UPDATE SET version = excluded.version`;
    if (steps.length > 0) await on.query(keep, [component, migrations.length]);
    return { from, to: migrations.length };
  };
  return transaction(client, action, { signal });
}

function checkOptions({ component, migrations }: MigrateOptions<never>): void {
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(component)) {
    throw new SqlError(
      "invalid_input",
      `component "${component}" must be lower-case letters, digits and underscores.`,
    );
  }
  const wrong = migrations.findIndex(({ version }, index) => version !== index + 1);
  if (wrong >= 0) {
    const message = `Migration ${wrong + 1} of ${component} has the version ${migrations[wrong]?.version}; they rise from 1 without a gap.`;
    throw new SqlError("invalid_input", message);
  }
}

function stepsAfter<T>(
  from: number,
  { component, migrations }: MigrateOptions<T>,
): readonly Migration<T>[] {
  if (from > migrations.length) {
    const message = `The tables of ${component} have version ${from}, made by a newer release; this one knows ${migrations.length}. Update the program.`;
    throw new SqlError("schema_newer", message, {
      details: { component, found: from, known: migrations.length },
    });
  }
  return migrations.slice(from);
}
