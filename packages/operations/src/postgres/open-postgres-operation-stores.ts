import type { PostgresClient } from "@ccl/sql";

import type { OperationStores } from "../stores/create-operation-stores.ts";
import { openStores, type OpenStoresOptions } from "../stores/open-stores.ts";

/** The connection, and the options of all stores. */
export interface PostgresOperationStoresOptions extends OpenStoresOptions {
  /** A pool or client of pg, or a PGlite. It is not closed. The table is created in its first schema. */
  client: PostgresClient;
}

/**
 * Opens `createOperationStores` in PostgreSQL 13 or newer. Acknowledged writes are on the server's disk, regardless of
 * its `synchronous_commit` setting.
 * @throws OperationsError
 */
export async function openPostgresOperationStores(
  options: PostgresOperationStoresOptions,
): Promise<OperationStores> {
  return openStores({ postgres: options.client }, options);
}
