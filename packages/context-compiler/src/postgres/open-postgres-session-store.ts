import { migrate, transaction, type PostgresClient, type PostgresSession } from "@ccl/sql";
import { requireObject } from "../fit/require-that.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import {
  createSqlSessionStore,
  storeErrorOf,
} from "../session-store/sql/create-sql-session-store.ts";
import { createTables, type Steps } from "../session-store/sql/session-tables.ts";

/** The database of the sessions: pg's `Pool` or `Client`, or PGlite; it stays open. */
export interface PostgresSessionStoreOptions {
  client: PostgresClient;
  signal?: AbortSignal | undefined;
}

/**
 * Sessions in PostgreSQL, in tables that are created where missing.
 * @throws ContextCompilerError `invalid_options`, `store_failed` or `aborted`
 */
export async function openPostgresSessionStore(
  options: PostgresSessionStoreOptions,
): Promise<SessionStore> {
  requireObject("What a session store is made of", options);
  const { client, signal } = options;
  requireObject("client", client, "query");
  const up = createTables("INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY").replace(
    "sort_key TEXT",
    'sort_key TEXT COLLATE "C"',
  );
  const migrations = [{ version: 1, up }];
  try {
    await migrate(client, {
      component: "session_store",
      migrations,
      signal,
    });
  } catch (error) {
    throw storeErrorOf(error);
  }
  return createSqlSessionStore((steps, options) =>
    transaction(client, (on) => runSteps(on, steps()), options),
  );
}

async function runSteps<Value>(session: PostgresSession, steps: Steps<Value>): Promise<Value> {
  let step = steps.next([]);
  while (step.done !== true) {
    const { sql, parameters } = step.value;
    step = steps.next(await session.query(numbered(sql), parameters));
  }
  return step.value;
}

/** The statement with `$1`, `$2`, ... for `?`; no statement has a question mark elsewhere. */
function numbered(sql: string): string {
  let number = 0;
  return sql.replace(/\?/g, () => `$${(number += 1)}`);
}
