import { OperationsError } from "../operations-error.ts";

/** Validates the number after which a page of events begins. @throws OperationsError `invalid_options` */
export function pageStart(afterSeq: number | undefined): number {
  if (afterSeq === undefined) return 0;
  if (Number.isSafeInteger(afterSeq) && afterSeq >= 0) return afterSeq;
  throw new OperationsError(
    "invalid_options",
    `afterSeq must be a whole number of 0 or more, not ${afterSeq}.`,
  );
}
