import { createMemoryKeyValue } from "./key-value/create-memory-key-value.ts";
import { createRecords } from "./records/create-records.ts";
import type { Records } from "./records/records.ts";

/** Creates records that live as long as the process. */
export function createMemoryRecords(): Records {
  return createRecords(createMemoryKeyValue());
}
