import type { ResourceOverview } from "../record/resource-record.ts";

/** Overview fields and their short keys, in line order. */
export const compactKeys: readonly (readonly [keyof ResourceOverview, string])[] = [
  ["id", "id"],
  ["uri", "u"],
  ["kind", "k"],
  ["title", "t"],
  ["tags", "g"],
  ["shape", "sh"],
  ["schema_digest", "sd"],
  ["cap", "cap"],
  ["cost_hint", "cost"],
  ["examples", "ex"],
  ["owner", "own"],
  ["updated_at", "ts"],
  ["rev", "rv"],
  ["schema_hash", "sh#"],
  ["cap_hash", "ch#"],
];
