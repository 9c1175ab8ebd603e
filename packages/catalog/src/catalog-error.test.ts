import { describe, expect, it } from "vitest";

import { CatalogError } from "./catalog-error.ts";

describe("CatalogError", () => {
  it("is recognized by its brand", () => {
    const error = new CatalogError("aborted", "The call was aborted.");
    expect(CatalogError.isInstance(error)).toBe(true);
    expect(CatalogError.isInstance(new Error("aborted"))).toBe(false);
  });
});
