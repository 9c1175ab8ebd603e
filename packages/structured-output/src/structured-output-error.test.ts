import { describe, expect, it } from "vitest";

import { StructuredOutputError } from "./structured-output-error.ts";

describe("StructuredOutputError", () => {
  it("is known by its brand", () => {
    const error = new StructuredOutputError("schema_invalid", "The schema is no schema.");
    expect(StructuredOutputError.isInstance(error)).toBe(true);
    expect(StructuredOutputError.isInstance(new Error("schema_invalid"))).toBe(false);
  });
});
