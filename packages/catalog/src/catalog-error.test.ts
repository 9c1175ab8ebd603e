import { describe, expect, it } from "vitest";

import { CatalogError } from "./catalog-error.ts";

describe("CatalogError", () => {
  it("is known by its brand", () => {
    const error = new CatalogError("closed", "The catalog store is closed.");
    expect(CatalogError.isInstance(error)).toBe(true);
    expect(CatalogError.isInstance(new Error("closed"))).toBe(false);
  });
});
