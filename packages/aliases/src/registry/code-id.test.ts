import { describe, expect, it } from "vitest";

import { codeId } from "./open-alias-registry.ts";

describe("codeId", () => {
  it("stays the same during a process", () => {
    expect(codeId()).toMatch(/^[0-9a-f]{64}$/);
    expect(codeId()).toBe(codeId());
  });
});
