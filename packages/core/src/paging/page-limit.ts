/** An error class of a package that has `invalid_options` among its codes. */
export type OptionErrorClass = new (code: "invalid_options", message: string) => Error;

/** How many entries a page may hold. */
export interface PageSizes {
  byDefault: number;
  max: number;
}

/** The size of a page: the requested one or the default. Throws `invalid_options` if it is out of bounds. */
export function pageLimit(
  limit: number | undefined,
  { byDefault, max }: PageSizes,
  ErrorClass: OptionErrorClass,
): number {
  if (limit === undefined) return byDefault;
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new ErrorClass("invalid_options", `A page holds 1 to ${max} entries, not ${limit}.`);
}

/** How many entries precede the page of a cursor that is an offset. Throws `invalid_options` for any other text. */
export function cursorOffset(cursor: string | undefined, ErrorClass: OptionErrorClass): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  const shown = JSON.stringify(cursor.slice(0, 40));
  throw new ErrorClass("invalid_options", `${shown} is no cursor of this listing.`);
}
