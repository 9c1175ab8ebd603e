import {
  isPglite,
  isPostgresPool,
  type PgliteClient,
  type PostgresClient,
  type PostgresPool,
  type PostgresSession,
} from "../postgres/postgres-client.ts";
import { postgresErrorOf } from "../postgres/postgres-error-of.ts";
import { ClientSession, createPostgresSession, turnsOf } from "../postgres/postgres-session.ts";
import { throwIfAborted } from "@ccl/core/async";
import { SqlError } from "../sql-error.ts";
import type { TransactionAction, TransactionOptions } from "./transaction-options.ts";
import { TurnQueue } from "@ccl/core/async";

type Action<T> = TransactionAction<PostgresSession, T>;

/**
 * Runs a transaction on a connection of the client, or a savepoint inside a session's transaction.
 */
export async function postgresTransaction<T>(
  target: PostgresClient | PostgresSession,
  action: Action<T>,
  options: TransactionOptions,
): Promise<T> {
  if (isClient(target)) {
    if (options.mode === "statement") return action(createPostgresSession(target));
    return onClient(target, action, options);
  }
  if (!(target instanceof ClientSession))
    throw new SqlError("invalid_input", "Pass a client or a session.");
  const { nesting } = target;
  if (nesting === undefined) return onClient(target.client, action, options);
  const depth = nesting.depth + 1;
  return nesting.turns.run(() => savepoint(target, action, { depth, options }), options.signal);
}

function isClient(target: PostgresClient | PostgresSession): target is PostgresClient {
  return !(target instanceof ClientSession);
}

function onClient<T>(
  client: PostgresClient,
  action: Action<T>,
  options: TransactionOptions,
): Promise<T> {
  if (isPostgresPool(client)) return onPool(client, action, options);
  if (isPglite(client)) return onPglite(client, action, options);
  return turnsOf(client).run(
    () => onConnection(new ClientSession(client), action, options),
    options.signal,
  );
}

async function onPool<T>(
  pool: PostgresPool,
  action: Action<T>,
  options: TransactionOptions,
): Promise<T> {
  throwIfAborted(options.signal, SqlError);
  const client = await pool.connect().catch((error: unknown) => {
    throw postgresErrorOf(error);
  });
  // A connection lost between two statements emits an event, which would end the process if nothing listened for it.
  const listener = (): void => undefined;
  client.on?.("error", listener);
  const session = new ClientSession(client);
  try {
    return await onConnection(session, action, options);
  } finally {
    client.off?.("error", listener);
    client.release(session.isBroken);
  }
}

async function onPglite<T>(
  client: PgliteClient,
  action: Action<T>,
  options: TransactionOptions,
): Promise<T> {
  throwIfAborted(options.signal, SqlError);
  const begin = options.mode === "read" ? `SET TRANSACTION ${snapshot}` : undefined;
  // Result or error of the action, kept separate from errors in PGlite's own begin and commit.
  let outcome: { value: T } | { error: unknown } | undefined;
  try {
    await client.transaction(async (connection) => {
      try {
        outcome = {
          value: await settle(new ClientSession(connection), action, { depth: 0, begin, options }),
        };
      } catch (error) {
        outcome = { error };
        throw error;
      }
    });
  } catch (error) {
    throw outcome !== undefined && "error" in outcome ? outcome.error : postgresErrorOf(error);
  }
  if (outcome !== undefined && "value" in outcome) return outcome.value;
  throw new SqlError("connection_failed", "PGlite ended the transaction without running it.");
}

const snapshot = "ISOLATION LEVEL REPEATABLE READ READ ONLY";

function onConnection<T>(
  session: ClientSession,
  action: Action<T>,
  options: TransactionOptions,
): Promise<T> {
  const begin = options.mode === "read" ? `BEGIN ${snapshot}` : "BEGIN";
  return settle(session, action, {
    depth: 0,
    begin,
    commit: "COMMIT",
    rollback: "ROLLBACK",
    options,
  });
}

function savepoint<T>(
  outer: ClientSession,
  action: Action<T>,
  { depth, options }: Pick<Ending, "depth" | "options">,
): Promise<T> {
  const name = `ccl_${depth}`;
  const rollback = `ROLLBACK TO SAVEPOINT ${name}; RELEASE SAVEPOINT ${name}`;
  const statements = { begin: `SAVEPOINT ${name}`, commit: `RELEASE SAVEPOINT ${name}`, rollback };
  const inner = new ClientSession(outer.client, outer.turns);
  return settle(inner, action, { depth, ...statements, options });
}

interface Ending {
  depth: number;
  begin?: string | undefined;
  /** Absent if the client itself begins and ends the transaction. */
  commit?: string | undefined;
  rollback?: string | undefined;
  options: TransactionOptions;
}

async function settle<T>(session: ClientSession, action: Action<T>, ending: Ending): Promise<T> {
  session.nesting = { depth: ending.depth, turns: new TurnQueue(SqlError) };
  try {
    if (ending.begin !== undefined) await session.exec(ending.begin);
    const value = await action(session);
    throwIfAborted(ending.options.signal, SqlError);
    // The action caught the error, but PostgreSQL would answer the commit with a rollback.
    if (session.failure !== undefined) throw session.failure;
    if (ending.commit !== undefined) await session.exec(ending.commit);
    return value;
  } catch (error) {
    if (ending.rollback !== undefined) await undo(session, ending.rollback);
    throw error;
  } finally {
    session.isOver = true;
  }
}

async function undo(session: ClientSession, rollback: string): Promise<void> {
  try {
    await session.exec(rollback);
  } catch {
    // The connection is in an unknown state. Report the error that led here.
    session.isBroken = true;
  }
}
