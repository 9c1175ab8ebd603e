import { openRecords } from "@ccl/records";
import {
  createPostgresSession,
  migrate,
  transaction,
  type PostgresClient,
  type PostgresSession,
} from "@ccl/sql";

import { operationsErrorOf } from "../ports/operations-error-of.ts";
import {
  createOperationStores,
  type OperationStores,
  type OperationStoresOptions,
} from "../sql/operation-stores.ts";
import {
  addBranchIndex,
  addRunEnds,
  addWrites,
  createTables,
  dropShown,
  handProfilesOver,
  dropSessions,
} from "../sql/operation-tables.ts";
import { moveStates } from "../sql/move-state.ts";
import type { Row, Statement, Steps } from "../sql/statement.ts";
import { arrayOf } from "./array-text.ts";

/** The connection, and the options of all stores. */
export interface PostgresOperationStoresOptions extends OperationStoresOptions {
  /** A pool or client of pg, or a PGlite. It stays open. The tables are created in its first schema. */
  client: PostgresClient;
}

/**
 * Opens stores in PostgreSQL 13 or newer. Missing tables are created. An acknowledged write is on the server's disk,
 * whatever the server's `synchronous_commit`.
 * @throws OperationsError `store_failed` or `aborted`
 */
export async function openPostgresOperationStores(
  options: PostgresOperationStoresOptions,
): Promise<OperationStores> {
  const { client, signal } = options;
  try {
    await migrate(client, { component: "operations", migrations, signal });
    const records = await openRecords({ postgres: client }, { signal });
    const session = createPostgresSession(client);
    const [setting] = await session.query("SHOW synchronous_commit");
    const isCommitLazy = setting?.["synchronous_commit"] === "off";
    const runner = {
      // A client with one connection runs one transaction at a time.
      isParallel: "totalCount" in client,
      write: <Value>(steps: () => Steps<Value>) =>
        transaction(client, async (on) => {
          if (isCommitLazy) await on.exec("SET LOCAL synchronous_commit = on");
          return runSteps(on, steps());
        }),
      readTogether: <Value>(steps: () => Steps<Value>) =>
        transaction(client, (on) => runSteps(on, steps()), { mode: "read" }),
      read: <Value>(steps: () => Steps<Value>) => runSteps(session, steps()),
    };
    return createOperationStores({ runner, records }, options);
  } catch (error) {
    throw operationsErrorOf(error);
  }
}

// PostgreSQL refuses to read JSON that contains U+0000 or a lone surrogate, which texts of a result may contain. With
// an `n` in place of the escape it stays valid JSON, even if the match is the end of an escaped backslash.
const readableResult = "regexp_replace(result, '\\\\u(0000|d[89a-f][0-9a-f]{2})', 'n', 'g')";

const migrations = [
  { version: 1, up: createTables('TEXT COLLATE "C"') },
  {
    version: 2,
    up: addRunEnds(`floor((${readableResult}::json ->> 'finishedAt')::numeric)::bigint`),
  },
  { version: 3, up: addBranchIndex },
  {
    version: 4,
    async up(on: PostgresSession) {
      await on.exec(addWrites('TEXT COLLATE "C"'));
      await runSteps(on, moveStates());
      await on.exec(dropSessions);
    },
  },
  { version: 5, up: handProfilesOver },
  { version: 6, up: dropShown },
];

async function runSteps<Value>(session: PostgresSession, steps: Steps<Value>): Promise<Value> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await rowsOf(session, step.value));
  return step.value;
}

// Strengths of row locks: https://www.postgresql.org/docs/15/explicit-locking.html#LOCKING-ROWS
const locks = {
  lock: "FOR NO KEY UPDATE OF stored",
  hold: "FOR KEY SHARE OF stored",
  takeOver: "FOR UPDATE OF stored",
};

function rowsOf(session: PostgresSession, { sql, columns, rows }: Statement): Promise<Row[]> {
  const types = columns.map(
    (column, index) => `$${index + 1}::${column.endsWith("#") ? "bigint" : "text"}[]`,
  );
  const names = columns.map((column) => column.replace("#", ""));
  const text = sql({
    asked: `unnest(${types.join(", ")}) AS asked(${names.join(", ")})`,
    ...locks,
  });
  const values = columns.map((_, index) => arrayOf(rows.map((row) => row[index] ?? null)));
  return session.query(text, values);
}
