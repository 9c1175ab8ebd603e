import { describe, expect, it, vi } from "vitest";

import { createMemorySearchIndex } from "../search/create-memory-search-index.ts";
import { loadSqlParser } from "../verify/sql-parser.ts";
import { createCatalog } from "./create-catalog.ts";

describe("a missing or failing dependency of a catalog", () => {
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

  it("is reported if the parser cannot be loaded", async () => {
    vi.doMock("@guanmingchiu/sqlparser-ts", () => {
      throw new Error("no WebAssembly");
    });
    await expect(loadSqlParser()).rejects.toMatchObject({ code: "client_missing" });
    vi.doUnmock("@guanmingchiu/sqlparser-ts");
  });
});
