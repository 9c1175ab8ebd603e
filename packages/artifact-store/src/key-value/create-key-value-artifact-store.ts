import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { ArtifactStore } from "../artifact-store.ts";
import { hasSharedLimits } from "../driver/plan-eviction.ts";
import { createArtifactStore, type ArtifactStoreOptions } from "../store/create-artifact-store.ts";
import { databaseOf, type KeyValuePlace } from "./bytes-in-texts.ts";
import { KeyValueDriver } from "./key-value-driver.ts";

/**
 * Creates a store over any key-value database, or over the `KeyValue` that holds your records, for one writing process
 * at a time. A put or batch takes effect with the write of one key, so after a crash it is complete or absent. The next
 * `collectGarbage` of all artifacts frees what an incomplete one wrote. Listings read all keys. Limits of a session or
 * of the store need transactions, which such a database does not have.
 * @throws ArtifactStoreError `unsupported` for `maxSessionBytes` and `maxStoreBytes`, `invalid_input` for other
 * malformed limits
 */
export function createKeyValueArtifactStore(
  database: KeyValuePlace,
  options: ArtifactStoreOptions = {},
): ArtifactStore {
  if (options.limits !== undefined && hasSharedLimits(options.limits))
    throw new ArtifactStoreError(
      "unsupported",
      "A key-value store has no limits of a session or of the store, only maxArtifactBytes.",
    );
  return createArtifactStore(new KeyValueDriver(databaseOf(database)), options);
}
