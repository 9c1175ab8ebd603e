import type { CatalogStore } from "../store/catalog-store.ts";

/** A rule before it is bound to a store. */
export interface StoreRule {
  name: string;
  /** What the adapter has to offer for it. */
  needs?: "reopen" | "openSecond" | undefined;
  check(store: CatalogStore, hooks: Required<CatalogStoreConformanceOptions>): Promise<void>;
}

/** How the kit gets at stores. What an adapter leaves out it does not promise, and the rules for it are not in the list. */
export interface CatalogStoreConformanceOptions {
  /** An empty store; called once a rule, which closes it. */
  open(): Promise<CatalogStore>;
  /** Closes the store and opens the same data again. */
  reopen?(store: CatalogStore): Promise<CatalogStore>;
  /** A second handle on the data of an open store, as another process would have it. */
  openSecond?(store: CatalogStore): Promise<CatalogStore>;
}
