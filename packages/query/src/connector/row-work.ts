import type { TypedScan, TypedStep } from "../plan/typed-plan.ts";
import { QueryError } from "../query-error.ts";
import { simpleConditions, type SimpleCondition } from "./simple-condition.ts";

/** A filter or a limit of a fragment. */
export type RowStage =
  | { op: "filter"; conditions: SimpleCondition[] }
  | { op: "limit"; count: number; offset: number };

/** A fragment of one scan, filters and limits. */
export interface RowWork {
  scan: TypedScan;
  stages: RowStage[];
  /** Conditions of the filters before the first limit. Only these may remove rows at the source. */
  conditions: SimpleCondition[];
}

/** Reads a fragment. @throws QueryError `source_failed` for a step that the connector does not declare */
export function readRowWork([scan, ...rest]: readonly TypedStep[]): RowWork {
  if (scan?.op !== "scan") throw new QueryError("source_failed", "A fragment begins with a scan.");
  const stages = rest.map((step): RowStage => {
    if (step.op === "limit") return { op: "limit", count: step.count, offset: step.offset };
    const conditions = step.op === "filter" ? simpleConditions(step.where) : undefined;
    if (conditions !== undefined) return { op: "filter", conditions };
    throw new QueryError("source_failed", `This source does not ${step.op} like that.`);
  });
  const firstLimit = stages.findIndex(({ op }) => op === "limit");
  const before = firstLimit < 0 ? stages : stages.slice(0, firstLimit);
  return {
    scan,
    stages,
    conditions: before.flatMap((stage) => (stage.op === "filter" ? stage.conditions : [])),
  };
}
