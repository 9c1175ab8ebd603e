import type { TokenCounter } from "@ccl/core";

import type { AccessOptions, Principal } from "../access/access-options.ts";
import type { SearchContext } from "./search-resources.ts";
import type { VisibleSet } from "./visible-set.ts";

/** State shared by the parts of a catalog. */
export interface CatalogContext extends SearchContext {
  counter: TokenCounter;
  access: AccessOptions | undefined;
  /** Embeds resources that still lack a vector. A failure of the embedder is ignored. */
  fillVectors(signal: AbortSignal | undefined): Promise<void>;
  /**
   * Reads the changes since the last call, and returns the resources that the principal may find.
   */
  look(principal: Principal | undefined, signal: AbortSignal | undefined): Promise<VisibleSet>;
}
