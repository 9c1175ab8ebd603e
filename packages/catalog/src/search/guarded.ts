import { CatalogError } from "../catalog-error.ts";

/** Runs a call of the index. @throws CatalogError `index_failed` for errors that are not a `CatalogError` */
export async function guarded<Value>(call: () => Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (cause) {
    if (CatalogError.isInstance(cause)) throw cause;
    throw new CatalogError("index_failed", "The search index failed; see the cause.", { cause });
  }
}
