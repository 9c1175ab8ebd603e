import { type CatalogSnapshot, createCatalogSnapshot } from "@ccl/catalog/snapshot";
import type { TokenCounter } from "@ccl/core";

import type { CatalogRecords } from "./read-catalog.ts";
import { loadIndex, saveIndex } from "./folder-cache.ts";

/** The records of a folder to be searched as the public sees them: personal columns stay out. */
export function openSnapshot(
  { path, content }: CatalogRecords,
  counter?: TokenCounter,
): CatalogSnapshot {
  return createCatalogSnapshot({
    records: content.records,
    loadSaved: () => loadIndex(path),
    counter,
  });
}

/** Keeps the search index for the next process, where it is not the kept one. */
export async function keepIndex(
  { path }: CatalogRecords,
  snapshot: CatalogSnapshot,
  signal: AbortSignal,
): Promise<void> {
  const bytes = await snapshot.save({ signal });
  if (bytes !== undefined) await saveIndex(path, bytes);
}
