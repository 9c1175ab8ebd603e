import type { RecordChange, Records } from "@ccl/records";

import type { ResourceRecord } from "../record/resource-record.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { changesLog, historyName, resourceName } from "./stored-names.ts";

/** The new record for an id, and its new history entries. The history is kept when the record is removed. */
export interface ResourceWrite {
  id: string;
  /** Undefined removes the record. */
  record: ResourceRecord | undefined;
  entry?: HistoryEntry | undefined;
}

/**
 * Writes all resources or none. `expectedVersion` is the catalog version that the caller last read.
 * @throws RecordsError `conflict` if someone else has written since
 */
export async function writeResources(
  records: Records,
  writes: readonly ResourceWrite[],
  {
    expectedVersion,
    signal,
  }: { expectedVersion?: number | undefined; signal?: AbortSignal | undefined },
): Promise<void> {
  const changes = writes.flatMap(({ id, record, entry }): RecordChange[] => {
    const name = resourceName(id);
    const change = record === undefined ? { remove: name } : { put: name, value: record };
    return entry === undefined ? [change] : [change, { append: historyName(id), entries: [entry] }];
  });
  const ids = writes.map(({ id }) => id);
  await records.write([...changes, { append: changesLog, entries: ids, expectedVersion }], {
    signal,
  });
}

/** Writes resources unchanged and replaces those with the same ids. Revisions continue from the written ones. */
export async function restoreResources(
  records: Records,
  resources: readonly ResourceRecord[],
  options: { signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const writes = resources.map((record) => ({ id: record.id, record }));
  await writeResources(records, writes, options);
}
