import { ContextCompilerError } from "../context-compiler-error.ts";
import { migrate, type PostgresClient, runSqlSteps, storeErrorOf } from "@ccl/sql";
import { requireObject } from "../fit/require-that.ts";
import type { SessionStore } from "../session-store/session-store.ts";
import { createSqlSessionStore } from "../session-store/sql/create-sql-session-store.ts";
import { createTables } from "../session-store/sql/session-tables.ts";

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
    throw storeErrorOf(error, "The session store", ContextCompilerError);
  }
  return createSqlSessionStore((steps, options) => runSqlSteps(client, steps, options));
}
