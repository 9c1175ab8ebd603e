import { OperationsError } from "../operations-error.ts";

/** The size of a page, checked. @throws OperationsError `invalid_options` */
export function pageLimit(limit: number | undefined, { byDefault, max }: { byDefault: number; max: number }): number {
  if (limit === undefined) return byDefault;
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new OperationsError("invalid_options", `The limit ${limit} is not a whole number from 1 to ${max}.`);
}
