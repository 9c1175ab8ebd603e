import type { SearchIndex } from "../search/search-index.ts";

/** A rule before it is bound to an index. */
export interface SearchRule {
  name: string;
  /** What the adapter has to offer for it. */
  needs?: "reopen" | "openSecond" | undefined;
  check(index: SearchIndex, hooks: Required<SearchIndexConformanceOptions>): Promise<void>;
}

/** How the kit gets at indexes. What an adapter leaves out it does not promise, and the rules for it are not in the list. */
export interface SearchIndexConformanceOptions {
  /** An empty index; called once or twice a rule. */
  open(): Promise<SearchIndex>;
  /** Opens the same data again, as after a restart. */
  reopen?(index: SearchIndex): Promise<SearchIndex>;
  /** A second handle on the data of an open index, as another process would have it. */
  openSecond?(index: SearchIndex): Promise<SearchIndex>;
}
