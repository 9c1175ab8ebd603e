/** An error class whose codes include `invalid_options`. */
type OptionErrorClass = new (code: "invalid_options", message: string) => Error;

/** Default and maximum number of entries on a page. */
export interface PageSizes {
  byDefault: number;
  max: number;
}

/**
 * Returns the page size: the requested one or the default.
 * @throws `invalid_options` if it is out of bounds
 */
export function pageLimit(
  limit: number | undefined,
  { byDefault, max }: PageSizes,
  ErrorClass: OptionErrorClass,
): number {
  if (limit === undefined) return byDefault;
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new ErrorClass("invalid_options", `A page holds 1 to ${max} entries, not ${limit}.`);
}

/**
 * Parses a cursor that is an offset into the number of entries before the page.
 * @throws `invalid_options` for any other string
 */
export function cursorOffset(cursor: string | undefined, ErrorClass: OptionErrorClass): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  const shown = JSON.stringify(cursor.slice(0, 40));
  throw new ErrorClass("invalid_options", `${shown} is not a cursor of this listing.`);
}
