import type { ResourceChange } from "../record/diff-resource.ts";

/** What happened to a resource, and when. */
export interface HistoryEntry {
  id: string;
  kind: "registered" | "changed" | "removed";
  /** The record's `rev` afterwards; before, for `removed`. */
  rev: number;
  /** ISO 8601. */
  at: string;
  schema_hash: string;
  cap_hash: string;
  /** Empty for `registered` and `removed`. */
  changes: ResourceChange[];
}
