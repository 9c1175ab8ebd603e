/**
 * Issue codes of `validateLogicalPlan`. Warnings: `step_unused`, `join_not_on_keys`, `unit_mismatch`,
 * `order_lost`, `anti_pattern`. Errors from anti-patterns with a known rule: `select_star`, `limit_missing`,
 * `filter_missing`.
 */
export type PlanIssueCode =
  | "resource_unknown"
  | "column_unknown"
  | "step_unknown"
  | "step_duplicate"
  | "column_duplicate"
  | "type_mismatch"
  | "cast_invalid"
  | "argument_invalid"
  | "zone_unknown"
  | "union_mismatch"
  | "scan_unsupported"
  | "parameter_missing"
  | "parameter_misused"
  | "limit_exceeded"
  | "select_star"
  | "limit_missing"
  | "filter_missing"
  | "step_unused"
  | "join_not_on_keys"
  | "unit_mismatch"
  | "order_lost"
  | "anti_pattern";

/** Codes that are warnings. */
export const warningCodes: ReadonlySet<PlanIssueCode> = new Set([
  "step_unused",
  "join_not_on_keys",
  "unit_mismatch",
  "order_lost",
  "anti_pattern",
]);
