import { CclError, type Issue } from "@ccl/core";

/**
 * `plan_invalid` has the issues in `details.issues`. `connector_missing`: no connector matches a resource's address.
 * `engine_missing`: a source cannot run a step, and there is no engine. `source_failed` and `engine_failed`: see
 * `cause` and `details.steps`. `value_invalid`: a source returned a value that does not have its column's type.
 * `argument_missing`: an API or a function needs an argument. `limit_exceeded`: `details.limit` names the limit.
 */
export type QueryErrorCode =
  | "plan_invalid"
  | "invalid_options"
  | "connector_missing"
  | "engine_missing"
  | "source_failed"
  | "engine_failed"
  | "value_invalid"
  | "argument_missing"
  | "limit_exceeded"
  | "closed"
  | "aborted";

/** The errors of this package. Messages name steps and columns, never rows. */
export class QueryError extends CclError<QueryErrorCode> {
  static override readonly brand: string = "QueryError";
}

/** The error of a query that the check refuses. Its message has the first errors. */
export function invalidQuery(issues: readonly Issue[]): QueryError {
  const errors = issues.filter(({ severity }) => severity !== "warning");
  const reasons = errors.slice(0, 3).map(({ message }) => message);
  return new QueryError("plan_invalid", reasons.join("\n"), { details: { issues } });
}
