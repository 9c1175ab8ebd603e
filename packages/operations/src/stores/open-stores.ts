import { openRecords, type RecordsPlace } from "@ccl/records";

import { translated } from "./stored-records.ts";
import type { ChatStoreOptions } from "./create-chat-store.ts";
import { createOperationStores, type OperationStores } from "./create-operation-stores.ts";

/** Options for all kinds of databases. */
export interface OpenStoresOptions extends ChatStoreOptions {
  signal?: AbortSignal | undefined;
}

/** Opens stores on their own records. Closing the stores closes the records. */
export async function openStores(
  place: RecordsPlace,
  options: OpenStoresOptions,
): Promise<OperationStores> {
  const records = await translated(() => openRecords(place, options));
  const stores = createOperationStores(records, options);
  return { ...stores, close: () => stores.close().then(() => records.close()) };
}
