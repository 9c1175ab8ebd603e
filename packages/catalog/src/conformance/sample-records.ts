import type { ResourceRecord } from "../record/resource-record.ts";
import type { HistoryEntry, ResourceWrite } from "../store/catalog-store.ts";

/** A record with everything that is hard to keep: unknown members, order of members, and characters of many kinds. */
export function sampleRecord(id: string, rev = 1): ResourceRecord {
  return {
    id,
    kind: "tabular",
    title: `orders \u{1F600} "${id}" \u0000 \uFFFD`,
    tags: ["orders", "pii:none"],
    schema_digest: ["id:int", "amount:num"],
    cap: ["scan", "filter"],
    updated_at: "2025-10-29T08:30:00Z",
    schema_hash: "0123456789abcdef",
    cap_hash: "fedcba9876543210",
    rev,
    columns: [
      { name: "id", type: "int", pk: true },
      { name: "größe", type: "numeric(12,2)", unit: "EUR", x_own: [1e21, -0.5, null] },
    ],
    cost_hint: { latency_ms_p50: 0.1 },
    x_unknown: { nested: { deep: [true, false, null, "line\nbreak"] }, "key with space": 1 },
  };
}

/** What happened to a record, as an entry. */
export function sampleEntry(id: string, rev: number): HistoryEntry {
  return {
    id,
    kind: rev === 1 ? "registered" : "changed",
    rev,
    at: "2025-10-29T08:30:00.000Z",
    schema_hash: "0123456789abcdef",
    cap_hash: "fedcba9876543210",
    changes:
      rev === 1
        ? []
        : [{ severity: "breaking", kind: "column_removed", path: "columns.a", from: "a:int" }],
  };
}

/** A write of a sample with its entry. */
export function sampleWrite(id: string, expectedVersion = 0, rev = 1): ResourceWrite {
  return { id, record: sampleRecord(id, rev), expectedVersion, entry: sampleEntry(id, rev) };
}
