import type { ResourceChange } from "../record/diff-resource.ts";

/** One event of a resource's history. */
export interface HistoryEntry {
  id: string;
  kind: "registered" | "changed" | "removed";
  /** The record's `rev` after the event. For `removed`, the one before it. */
  rev: number;
  /** ISO 8601. */
  at: string;
  schema_hash: string;
  cap_hash: string;
  /** Empty for `registered` and `removed`. */
  changes: ResourceChange[];
}
