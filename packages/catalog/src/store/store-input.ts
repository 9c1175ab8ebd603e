import { CatalogError } from "../catalog-error.ts";
import type { ResourceWrite } from "./catalog-store.ts";

/** Bounds of a page. */
export interface PageSizes {
  usual: number;
  most: number;
}

/** Of `list` and `history`. */
export const storePageSizes: PageSizes = { usual: 100, most: 1_000 };
/** Of `changesAfter`. */
export const changePageSizes: PageSizes = { usual: 1_000, most: 1_000 };

/** @throws CatalogError `aborted` */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new CatalogError("aborted", "The call was aborted.", { cause: signal.reason });
}

/** @throws CatalogError `invalid_options` for a limit out of bounds */
export function pageLimit(limit: number | undefined, { usual, most }: PageSizes): number {
  if (limit === undefined) return usual;
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= most) return limit;
  throw new CatalogError("invalid_options", `A page holds 1 to ${most} entries, not ${limit}.`);
}

/** @throws CatalogError `invalid_options` for a version that is negative or not whole */
export function requireVersion(version: number): void {
  if (Number.isSafeInteger(version) && version >= 0) return;
  throw new CatalogError("invalid_options", `A version is a whole number from 0, not ${version}.`);
}

/** @throws CatalogError `invalid_options` for writes that contradict each other or themselves */
export function requireWrites(writes: readonly ResourceWrite[]): void {
  const seen = new Set<string>();
  for (const { id, record, expectedVersion, entry } of writes) {
    requireVersion(expectedVersion);
    const name = JSON.stringify(id.slice(0, 80));
    if (seen.has(id))
      throw new CatalogError(
        "invalid_options",
        `Two writes of a batch have the id ${name}; merge them.`,
      );
    seen.add(id);
    if ((record?.id ?? id) !== id || (entry?.id ?? id) !== id) {
      throw new CatalogError("invalid_options", `A write of ${name} carries another id.`);
    }
  }
}

/** A cursor that is an offset, as text. @throws CatalogError `invalid_options` */
export function offsetCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new CatalogError(
    "invalid_options",
    `${JSON.stringify(cursor.slice(0, 40))} is no cursor of this listing.`,
  );
}

/** What a store throws where a record has another version than the writer read. */
export function conflictError(ids: readonly string[]): CatalogError {
  const names = ids.slice(0, 3).map((id) => JSON.stringify(id.slice(0, 80)));
  const message = `${ids.length} resource(s) were written by another meanwhile (${names.join(", ")}); read and try again.`;
  return new CatalogError("conflict", message, { details: { ids } });
}
