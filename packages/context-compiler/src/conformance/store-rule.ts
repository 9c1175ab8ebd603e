import type { SessionStore } from "../session-store/session-store.ts";

/** A rule before it is bound to a store. */
export interface StoreRule {
  name: string;
  /** What the adapter has to offer for it. */
  needs?: "reopen" | "openSecond" | "damage" | undefined;
  check(store: SessionStore, hooks: Required<SessionStoreConformanceOptions>): Promise<void>;
}

/** How the kit gets at stores. What an adapter leaves out it does not promise, and the rules for it are not in the list. */
export interface SessionStoreConformanceOptions {
  /** An empty store; called once a rule, which closes it. */
  open(): Promise<SessionStore>;
  /** Closes the store and opens the same data again. */
  reopen?(store: SessionStore): Promise<SessionStore>;
  /** A second handle on the data of an open store, as another process would have it. */
  openSecond?(store: SessionStore): Promise<SessionStore>;
  /** Changes what is stored of the first event of a session, behind the store's back. */
  damage?(store: SessionStore, sessionId: string): Promise<void>;
}
