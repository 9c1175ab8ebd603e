import type { ConformanceHooks, KitRule } from "@ccl/core/conformance";

import type { SessionStore } from "../session-store/session-store.ts";

/** How the kit gets at session stores. */
export interface SessionStoreHooks extends ConformanceHooks<SessionStore> {
  /** Changes what is stored of the first event of a session, behind the store's back. */
  damage?(store: SessionStore, sessionId: string): Promise<void>;
}

/** A rule before it is bound to a store. */
export type StoreRule = KitRule<SessionStore, SessionStoreHooks>;
