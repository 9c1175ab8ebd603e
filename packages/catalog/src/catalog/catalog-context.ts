import type { TokenCounter } from "@ccl/core";

import type { AccessOptions, Principal } from "../access/access-options.ts";
import type { CatalogStore } from "../store/catalog-store.ts";
import type { ResidentRecords } from "./resident-records.ts";
import type { SearchContext } from "./search-resources.ts";
import type { VisibleSet } from "./visible-set.ts";

/** What the parts of a catalog share. */
export interface CatalogContext extends SearchContext {
  counter: TokenCounter;
  access: AccessOptions | undefined;
  store: CatalogStore;
  resident: ResidentRecords;
  /** Takes in what was written since, and says what a principal may find. */
  look(principal: Principal | undefined, signal: AbortSignal | undefined): Promise<VisibleSet>;
}
