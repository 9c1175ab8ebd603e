import { CclError, type Issue } from "@ccl/core";

/**
 * `plan_invalid`: see `details.issues`. `connector_missing`: no connector matches a resource's address.
 * `engine_missing`: a source cannot run a step and there is no engine. `source_failed` and `engine_failed`: see
 * `cause` and `details.steps`. `value_invalid`: a source returned a value that does not match its column's type.
 * `argument_missing`: an API or function needs an argument. `limit_exceeded`: see `details.limit`.
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

/** The error class of this package. Messages name steps and columns but never quote rows. */
export class QueryError extends CclError<QueryErrorCode> {
  static override readonly brand: string = "QueryError";
}

/** Creates the error for a query that fails the check. The message contains the first errors. */
export function invalidQuery(issues: readonly Issue[]): QueryError {
  const errors = issues.filter(({ severity }) => severity !== "warning");
  const reasons = errors.slice(0, 3).map(({ message }) => message);
  return new QueryError("plan_invalid", reasons.join("\n"), { details: { issues } });
}
