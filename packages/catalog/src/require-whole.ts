import { CatalogError } from "./catalog-error.ts";

/**
 * Checks a numeric option.
 * @throws CatalogError `invalid_options` if the number is not whole or out of bounds
 */
export function requireWhole(
  name: string,
  value: number,
  [min, max]: readonly [number, number],
): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  throw new CatalogError(
    "invalid_options",
    `${name} is a whole number from ${min} to ${max}, not ${value}.`,
  );
}
