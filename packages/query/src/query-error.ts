import { CclError } from "@ccl/core";

/**
 * `plan_invalid` carries the issues in `details.issues`. `connector_missing`: no connector for a resource's address;
 * `engine_missing`: a step that its source does not take, and no engine to do it. `source_failed` and `engine_failed`: see
 * `cause`, and `details.steps`. `value_invalid`: a source gave a value that is not of its column's type.
 * `argument_missing`: an API or a function needs one. `plan_not_compiled`: no answer of the model held, see `details.issues`. `limit_exceeded`:
 * `details.limit` names which one.
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
  | "plan_not_compiled"
  | "limit_exceeded"
  | "closed"
  | "aborted";

/** What this package throws. Messages name steps and columns, never rows. */
export class QueryError extends CclError<QueryErrorCode> {
  static override readonly brand: string = "QueryError";
}
