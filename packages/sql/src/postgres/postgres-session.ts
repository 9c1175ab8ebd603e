import { checkText } from "../check-text.ts";
import { SqlError } from "../sql-error.ts";
import { TurnQueue } from "@ccl/core/async";
import {
  hasExec,
  isPostgresPool,
  type PostgresClient,
  type PostgresResult,
  type PostgresRow,
  type PostgresSession,
  type PostgresValue,
} from "./postgres-client.ts";
import { postgresErrorOf } from "./postgres-error-of.ts";

// Type ids from PostgreSQL's pg_type.dat.
const int8 = 20;
const bytea = 17;

/**
 * A session over a client. A pool runs each statement on any free connection, and other clients run
 * statements one after the other.
 */
export class ClientSession implements PostgresSession {
  readonly client: PostgresClient;
  /**
   * Error of the first failed statement. PostgreSQL rejects all others until the transaction or savepoint is
   * rolled back.
   */
  failure: SqlError | undefined;
  /** True once the session's transaction has ended. */
  isOver = false;
  /** True if the connection is lost or in an unknown state. */
  isBroken = false;
  /** Set while the session runs a transaction. Its savepoints run one at a time. */
  nesting: { readonly depth: number; readonly turns: TurnQueue } | undefined;
  /**
   * Runs statements one at a time, because pg warns about concurrent ones. Pools and PGlite have their own queues.
   */
  readonly turns: TurnQueue | undefined;

  constructor(client: PostgresClient, turns: TurnQueue = new TurnQueue(SqlError)) {
    this.client = client;
    this.turns = isPostgresPool(client) || hasExec(client) ? undefined : turns;
  }

  async query(text: string, parameters: readonly PostgresValue[] = []): Promise<PostgresRow[]> {
    for (const value of parameters) if (typeof value === "string") checkText(value);
    const values = parameters.map((value) => (typeof value === "bigint" ? String(value) : value));
    const { client } = this;
    return this.#guarded(async () => rowsOf(await client.query(text, values)));
  }

  exec(sql: string): Promise<void> {
    const { client } = this;
    return this.#guarded(async () => {
      await (hasExec(client) ? client.exec(sql) : client.query(sql));
    });
  }

  async #guarded<T>(action: () => Promise<T>): Promise<T> {
    if (this.isOver)
      throw new SqlError("closed", "The transaction has ended; use the client itself.");
    try {
      return await (this.turns === undefined ? action() : this.turns.run(action));
    } catch (error) {
      const failure = postgresErrorOf(error);
      this.failure ??= failure;
      if (failure.code === "connection_failed") this.isBroken = true;
      throw failure;
    }
  }
}

/**
 * Creates a session for use outside transactions. On a client with one connection, its statements wait for a
 * running transaction. Awaiting them inside that transaction's action causes a deadlock.
 */
export function createPostgresSession(client: PostgresClient): PostgresSession {
  return new ClientSession(client, turnsOf(client));
}

/**
 * True if, by default, the server acknowledges commits that a crash may lose. Writers that need durability must
 * then request it.
 */
export async function isCommitLazy(client: PostgresClient): Promise<boolean> {
  const [setting] = await createPostgresSession(client).query("SHOW synchronous_commit");
  return setting?.["synchronous_commit"] === "off";
}

const clientTurns = new WeakMap<PostgresClient, TurnQueue>();

/** Returns the queue shared by transactions and other statements on a client with one connection. */
export function turnsOf(client: PostgresClient): TurnQueue {
  const turns = clientTurns.get(client) ?? new TurnQueue(SqlError);
  clientTurns.set(client, turns);
  return turns;
}

function rowsOf({ rows, fields = [] }: PostgresResult): PostgresRow[] {
  const namesOf = (type: number): string[] =>
    fields.filter((field) => field.dataTypeID === type).map((field) => field.name);
  const integers = namesOf(int8);
  const bytes = namesOf(bytea);
  return rows.map((row) => {
    if (!isRow(row))
      throw new SqlError(
        "invalid_input",
        "The client's rows are not objects; use its default row mode.",
      );
    for (const name of integers) row[name] = exactInteger(row[name]);
    for (const name of bytes) row[name] = plainBytes(row[name]);
    return row;
  });
}

function isRow(row: unknown): row is PostgresRow {
  return typeof row === "object" && row !== null && !Array.isArray(row);
}

/** Converts an int8, which pg returns as text and PGlite as a number or bigint. */
function exactInteger(value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}

/** Converts pg's Buffer to a Uint8Array. */
function plainBytes(value: unknown): unknown {
  return value instanceof Uint8Array
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : value;
}
