import { CclError } from "@ccl/core";

/** `index_damaged`: the bytes have changed since they were saved. */
export type SearchErrorCode = "invalid_options" | "index_damaged" | "aborted";

/** The error class of this package. */
export class SearchError extends CclError<SearchErrorCode> {
  static override readonly brand: string = "SearchError";
}

/**
 * Validates a limit.
 * @throws SearchError `invalid_options` unless the limit is a whole number, 0 or above
 */
export function checkLimit(limit: number): void {
  if (Number.isSafeInteger(limit) && limit >= 0) return;
  throw new SearchError("invalid_options", `A limit must be a whole number from 0, not ${limit}.`);
}
