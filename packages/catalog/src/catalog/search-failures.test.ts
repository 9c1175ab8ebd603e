import { describe, expect, it, vi } from "vitest";

import { createMemorySearchIndex } from "../search/create-memory-search-index.ts";
import { createCatalog } from "./create-catalog.ts";

describe("a failing dependency of a catalog", () => {
  it("is reported if an index fails", async () => {
    const index = createMemorySearchIndex();
    const catalog = createCatalog({ index });
    const cause = new Error("disk");
    vi.spyOn(index, "searchText").mockRejectedValue(cause);
    await expect(catalog.search({ text: "orders" })).rejects.toMatchObject({
      code: "index_failed",
      cause,
    });
  });
});
