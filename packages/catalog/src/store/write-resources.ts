import type { RecordChange, Records } from "@ccl/records";

import type { ResourceRecord } from "../record/resource-record.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { changesLog, historyName, resourceName } from "./stored-names.ts";

/** What is to stand under an id, and what is added to its history, which outlives it. */
export interface ResourceWrite {
  id: string;
  /** Undefined removes. */
  record: ResourceRecord | undefined;
  entry?: HistoryEntry | undefined;
}

/**
 * Writes all or nothing. `expectedVersion` is the catalog's version that the writer knows.
 * @throws RecordsError `conflict` if another has written since
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

/** Puts resources into records as they stand, in place of those with their ids: revisions go on from where they were. */
export async function restoreResources(
  records: Records,
  resources: readonly ResourceRecord[],
  options: { signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const writes = resources.map((record) => ({ id: record.id, record }));
  await writeResources(records, writes, options);
}
