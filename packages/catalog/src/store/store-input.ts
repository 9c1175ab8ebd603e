import type { PageSizes } from "@ccl/core/paging";
import { CatalogError } from "../catalog-error.ts";
import type { ResourceWrite } from "./catalog-store.ts";

/** Of `list` and `history`. */
export const storePageSizes: PageSizes = { byDefault: 100, max: 1_000 };
/** Of `changesAfter`. */
export const changePageSizes: PageSizes = { byDefault: 1_000, max: 1_000 };

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

/** What a store throws where a record has another version than the writer read. */
export function conflictError(ids: readonly string[]): CatalogError {
  const names = ids.slice(0, 3).map((id) => JSON.stringify(id.slice(0, 80)));
  const message = `${ids.length} resource(s) were written by another meanwhile (${names.join(", ")}); read and try again.`;
  return new CatalogError("conflict", message, { details: { ids } });
}
