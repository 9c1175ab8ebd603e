import { describe, expect, it } from "vitest";

import { catalogStoreConformance } from "../conformance/index.ts";
import { createMemoryCatalogStore } from "./create-memory-catalog-store.ts";

describe("createMemoryCatalogStore", () => {
  // oxlint-disable-next-line vitest/expect-expect -- the rules assert
  it.each(catalogStoreConformance({ open: async () => createMemoryCatalogStore() }))(
    "$name",
    async ({ run }) => expect(await run()).toBeUndefined(),
  );
});
