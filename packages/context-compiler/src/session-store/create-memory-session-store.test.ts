import { describe, expect, it } from "vitest";
import { sessionStoreConformance } from "../conformance/index.ts";
import { createMemorySessionStore } from "./create-memory-session-store.ts";

describe("createMemorySessionStore", () => {
  // oxlint-disable-next-line vitest/expect-expect -- the rules assert
  it.each(sessionStoreConformance({ open: async () => createMemorySessionStore() }))(
    "$name",
    async ({ run }) => expect(await run()).toBeUndefined(),
  );
});
