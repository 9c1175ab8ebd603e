import { OperationsError } from "../operations-error.ts";

/** The size of a page, checked. @throws OperationsError `invalid_options` */
export function pageLimit(
  limit: number | undefined,
  { byDefault, max }: { byDefault: number; max: number },
): number {
  if (limit === undefined) return byDefault;
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new OperationsError(
    "invalid_options",
    `The limit ${limit} is not a whole number from 1 to ${max}.`,
  );
}

/** The number after which a page of events begins, checked. @throws OperationsError `invalid_options` */
export function pageStart(afterSeq: number | undefined): number {
  if (afterSeq === undefined) return 0;
  if (Number.isSafeInteger(afterSeq) && afterSeq >= 0) return afterSeq;
  throw new OperationsError(
    "invalid_options",
    `afterSeq must be a whole number of 0 or more, not ${afterSeq}.`,
  );
}
