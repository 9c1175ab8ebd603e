import { openRecords } from "@ccl/records";
import { migrate, transaction, type SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";

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
import { processOwners } from "./process-owners.ts";

/** A file, or a database that `openSqlite` of @ccl/sql returned, which stays open. */
export type SqliteOperationStoresOptions = OperationStoresOptions &
  ({ path: string } | { database: SqliteDatabase });

/**
 * Opens stores in SQLite. Missing tables are created. Any number of processes may open the file. An acknowledged write
 * survives a power failure, unless the database was opened with weaker durability.
 * @throws OperationsError `store_failed`, `store_damaged` or `aborted`
 */
export async function openSqliteOperationStores(
  options: SqliteOperationStoresOptions,
): Promise<OperationStores> {
  const { signal } = options;
  try {
    const database =
      "path" in options ? await openSqlite({ path: options.path, signal }) : options.database;
    const end = "path" in options ? () => database.close() : undefined;
    try {
      await migrate(database, { component: "operations", migrations, signal });
      const records = await openRecords({ sqlite: database }, { signal });
      const runner = {
        isParallel: false,
        write: <Value>(steps: () => Steps<Value>) =>
          transaction(database, (on) => runSteps(on, steps())),
        readTogether: <Value>(steps: () => Steps<Value>) =>
          transaction(database, (on) => runSteps(on, steps()), { mode: "read" }),
        read: async <Value>(steps: () => Steps<Value>) => runSteps(database, steps()),
      };
      const stores = createOperationStores({ runner, records, end }, options);
      return { ...stores, ...(await processOwners()) };
    } catch (error) {
      end?.();
      throw error;
    }
  } catch (error) {
    throw operationsErrorOf(error);
  }
}

const migrations = [
  { version: 1, up: createTables("TEXT") },
  { version: 2, up: addRunEnds("CAST(json_extract(result, '$.finishedAt') AS INTEGER)") },
  { version: 3, up: addBranchIndex },
  {
    version: 4,
    up(on: SqliteDatabase) {
      on.exec(addWrites("TEXT"));
      runSteps(on, moveStates());
      on.exec(dropSessions);
    },
  },
  { version: 5, up: handProfilesOver },
  { version: 6, up: dropShown },
];

/** Runs synchronously, so that nothing else on the connection comes between. */
function runSteps<Value>(database: SqliteDatabase, steps: Steps<Value>): Value {
  let step = steps.next();
  while (step.done !== true) step = steps.next(rowsOf(database, step.value));
  return step.value;
}

// A writing transaction has the database to itself.
const noLocks = { lock: "", hold: "", takeOver: "" };

function rowsOf(database: SqliteDatabase, { sql, columns, rows, hasRows }: Statement): Row[] {
  const names = columns.map((column, index) => `?${index + 1} AS ${column.replace("#", "")}`);
  const statement = database.prepare(
    sql({ asked: `(SELECT ${names.join(", ")}) AS asked`, ...noLocks }),
  );
  if (hasRows) return rows.flatMap((row) => statement.all(...row));
  for (const row of rows) statement.run(...row);
  return [];
}
