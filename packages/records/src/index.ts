export { createMemoryRecords } from "./create-memory-records.ts";
export type { KeyRange, KeyValue, KeyValueCommit, KeyValueEntry } from "./key-value/key-value.ts";
export { openRecords, type RecordsPlace } from "./open-records.ts";
export { descendingId, recordName } from "./records/record-name.ts";
export { RecordsError, type RecordsErrorCode } from "./records-error.ts";
export type {
  ChangeOutcome,
  Lease,
  LeaseRequest,
  ListOptions,
  LogList,
  LogPage,
  ReadLogOptions,
  RecordChange,
  RecordPage,
  Records,
  StoredRecord,
} from "./records/records.ts";
