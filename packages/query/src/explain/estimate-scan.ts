import type { PlanScan } from "../scans/plan-scans.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { rowsOf } from "@ccl/catalog";

/** Estimated share of rows within a bound. This is query planners' usual default. */
const rangeShare = 0.33;

/**
 * Estimates the rows that a scan transfers, by the rules of System R (1979): a key has as many values as rows,
 * another column their square root, and conditions are independent. Returns undefined if the catalog has no row
 * count.
 */
export function estimateScan({
  resource,
  conditions,
  maxRows = Infinity,
}: PlanScan): number | undefined {
  const rows = rowsOf(resource.shape?.rows_est);
  if (rows === undefined) return undefined;
  const share = ({ column, operator, values }: PlanScan["conditions"][number]): number => {
    if (operator !== "eq" && operator !== "in") return rangeShare;
    const isKey = resource.columns?.some(({ name, pk }) => name === column && pk === true);
    return Math.min(1, values.length / Math.max(1, isKey === true ? rows : Math.sqrt(rows)));
  };
  const left = conditions.reduce((count, condition) => count * share(condition), rows);
  return Math.min(maxRows, Math.ceil(left));
}

/** Estimates the bytes in a row, counted like `batchBytes`: 8 for a number, 1 for a bool. Assumes 16 for text. */
export function rowBytes(columns: readonly PlanColumn[]): number {
  const widths = {
    bool: 1,
    int: 8,
    float: 8,
    decimal: 8,
    text: 16,
    date: 10,
    timestamp: 19,
    timestamptz: 20,
  };
  return columns.reduce((sum, { type }) => sum + widths[type.kind], 0);
}
