import { isRecord } from "@ccl/core/json";
import type { Records } from "@ccl/records";

import { CatalogError } from "../catalog-error.ts";
import type { HistoryEntry } from "./history-entry.ts";
import { historyName } from "./stored-names.ts";

/** Reads the newest entries of a resource's history, oldest first. */
export async function readHistory(
  records: Records,
  id: string,
  { limit, signal }: { limit: number; signal: AbortSignal | undefined },
): Promise<HistoryEntry[]> {
  const name = historyName(id);
  const { version } = await records.readLog(name, { from: Number.MAX_SAFE_INTEGER, signal });
  const from = Math.max(0, version - limit);
  const { entries } = await records.readLog(name, { from, limit, signal });
  return entries.map((entry) => {
    if (isEntry(entry)) return entry;
    throw new CatalogError("damaged", `The log "${name}" has an entry that no catalog wrote.`);
  });
}

function isEntry(value: unknown): value is HistoryEntry {
  return isRecord(value) && typeof value["kind"] === "string" && Array.isArray(value["changes"]);
}
