import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";

import { translated } from "../stores/stored-records.ts";
import type { OperationStores } from "../stores/create-operation-stores.ts";
import { openStores, type OpenStoresOptions } from "../stores/open-stores.ts";
import { processOwners } from "./process-owners.ts";

/** A file, or a database that `openSqlite` of @ccl/sql returned, which is not closed. */
export type SqliteOperationStoresOptions = OpenStoresOptions &
  ({ path: string } | { client: SqliteDatabase });

/**
 * Opens `createOperationStores` in SQLite. Creates missing tables. Any number of processes may open the file.
 * Acknowledged writes survive a power failure, unless the database was opened with weaker durability.
 * @throws OperationsError
 */
export async function openSqliteOperationStores(
  options: SqliteOperationStoresOptions,
): Promise<OperationStores> {
  const { signal } = options;
  const database =
    "path" in options
      ? await translated(() => openSqlite({ path: options.path, signal }))
      : options.client;
  const end = "path" in options ? () => database.close() : () => {};
  try {
    const stores = await openStores({ sqlite: database }, options);
    return { ...stores, ...(await processOwners()), close: () => stores.close().then(end) };
  } catch (error) {
    end();
    throw error;
  }
}
