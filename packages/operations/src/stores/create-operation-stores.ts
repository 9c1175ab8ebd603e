import { createMemoryRecords, type Records } from "@ccl/records";

import { OperationsError } from "../operations-error.ts";
import type { ConversationStore } from "../ports/conversation-store.ts";
import { createProfileStore } from "./create-profile-store.ts";
import type { ProfileStore } from "../ports/profile-store.ts";
import { withCalls } from "../ports/with-calls.ts";
import type { LeaseOwners, RunStore } from "../ports/run-store.ts";
import { type ChatStoreOptions, createChatStore } from "./create-chat-store.ts";
import { createRunStore } from "./create-run-store.ts";

/** All stores of an engine. Spread them into the options of `createRunEngine`. */
export interface OperationStores extends LeaseOwners {
  profiles: ProfileStore;
  runs: RunStore;
  chat: ConversationStore;
  /** Waits for calls in progress and rejects later ones with `closed`. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Stores runs, chats and profiles in records that `openRecords` of @ccl/records returned. Does not close the records.
 * By default everything is in memory, limited to the newest 1,000 finished runs, and lost when the process ends.
 */
export function createOperationStores(
  records?: Records,
  options?: ChatStoreOptions,
): OperationStores {
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<unknown> | undefined;
  /** Tracks store calls, each of which consists of several record calls. */
  const tracked = <Store extends object>(store: Store): Store =>
    withCalls(store, async (_, run) => {
      if (closing !== undefined)
        throw new OperationsError("closed", "The stores are closed; open them again.");
      const done = run();
      const settled = done.catch(() => undefined).finally(() => underWay.delete(settled));
      underWay.add(settled);
      return done;
    });
  const own = records ?? createMemoryRecords();
  const chat = tracked(createChatStore(own, options));
  return {
    profiles: tracked(createProfileStore(own)),
    runs: tracked(createRunStore(own, { isInMemory: records === undefined, chat })),
    chat,
    async close() {
      closing ??= Promise.all(underWay);
      await closing;
    },
  };
}
