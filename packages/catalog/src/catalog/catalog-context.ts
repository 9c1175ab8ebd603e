import type { TokenCounter } from "@ccl/core";

import type { AccessOptions, Principal } from "../access/access-options.ts";
import type { SearchContext } from "./search-resources.ts";
import type { VisibleSet } from "./visible-set.ts";

/** What the parts of a catalog share. */
export interface CatalogContext extends SearchContext {
  counter: TokenCounter;
  access: AccessOptions | undefined;
  /** Asks for the vectors that resources still lack; does not fail where the embedder does. */
  fillVectors(signal: AbortSignal | undefined): Promise<void>;
  /** Takes in what was written since, and says what a principal may find. */
  look(principal: Principal | undefined, signal: AbortSignal | undefined): Promise<VisibleSet>;
}
