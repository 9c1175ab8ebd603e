import { QueryError } from "../query-error.ts";
import { hiddenFrom, rowRule } from "./visible-resources.ts";
import type { ValidateOptions } from "./validate-logical-plan.ts";

/**
 * Removes hidden names from an error. If row rules apply, also removes the source's message, which may quote a
 * hidden row. The original error becomes the cause.
 */
export function discreetError(error: unknown, options: ValidateOptions): unknown {
  if (options.access === undefined || !QueryError.isInstance(error)) return error;
  if (!["source_failed", "engine_failed", "value_invalid"].includes(error.code)) return error;
  const details = [...options.details];
  if (details.some((resource) => rowRule(resource, options) !== undefined))
    return new QueryError(
      error.code,
      "A source failed. Its reason is left out, since it may quote rows that rules of access hide.",
      { cause: error },
    );
  const message = hiddenFrom(details, options).maskIn(error.message);
  return message === error.message ? error : new QueryError(error.code, message, { cause: error });
}
