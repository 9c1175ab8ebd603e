import type { PlanScan } from "../scans/plan-scans.ts";
import type { PlanColumn } from "../plan/typed-plan.ts";
import { rowsOf } from "@ccl/catalog";

/** The share of rows within a bound: the usual default of query planners. */
const rangeShare = 0.33;

/**
 * Estimates the rows that a scan moves. The rules are System R's (1979): a key has as many values as rows, another column
 * their square root, and conditions are independent. Undefined if the catalog gives no row count.
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

/**
 * Estimated bytes of a row, counted like `batchBytes`: 8 for a number, 1 for a bool. A text is
 * assumed to take 16.
 */
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
