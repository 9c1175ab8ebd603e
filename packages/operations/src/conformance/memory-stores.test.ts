import { describe, expect, it } from "vitest";

import { createMemoryChatStore } from "../ports/create-memory-chat-store.ts";
import { createMemoryRunStore } from "../ports/create-memory-run-store.ts";
import { conversationStoreConformance } from "./chat-store-conformance.ts";
import { runStoreConformance } from "./run-store-conformance.ts";

const same = async <Store>(store: Store): Promise<Store> => store;

const kits = {
  "the run store in memory": runStoreConformance({
    open: async () => createMemoryRunStore(),
    openSecond: same,
  }),
  "the chat in memory": conversationStoreConformance({
    open: async () => createMemoryChatStore(),
    openSecond: same,
  }),
};

describe.each(Object.entries(kits))("%s", (_name, rules) => {
  it.each(rules)("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
