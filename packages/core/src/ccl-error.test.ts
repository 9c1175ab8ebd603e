import { describe, expect, it, vi } from "vitest";
import { CclError } from "./ccl-error.ts";

class StoreError extends CclError<"missing" | "damaged"> {
  static override readonly brand: string = "StoreError";
}
class DiskError extends StoreError {
  static override readonly brand: string = "DiskError";
}

describe("CclError", () => {
  it("has code, details, cause, message and the name of its class", () => {
    const cause = new Error("disk");
    const error = new StoreError("missing", "No blob.", { details: { id: 1 }, cause });
    expect(error).toMatchObject({
      code: "missing",
      details: { id: 1 },
      cause,
      message: "No blob.",
      name: "StoreError",
    });
    expect(error).toBeInstanceOf(Error);
  });

  it("has no cause or details by default", () => {
    const error = new StoreError("missing", "No blob.");
    expect("cause" in error).toBe(false);
    expect(error.details).toBeUndefined();
  });

  it.each([
    ["its own class", DiskError, true],
    ["a parent", StoreError, true],
    ["the base", CclError, true],
  ])("is an instance of %s", (_name, type, expected) => {
    expect(type.isInstance(new DiskError("damaged", "x"))).toBe(expected);
  });

  it.each([
    [new StoreError("missing", "x")],
    [new Error("x")],
    [null],
    [undefined],
    ["DiskError"],
    [{ code: "missing" }],
  ])("is not recognised in %s", (value) => {
    expect(DiskError.isInstance(value)).toBe(false);
  });

  it("is recognised by a second copy of the package, where instanceof is not", async () => {
    vi.resetModules();
    const copy = await import("./ccl-error.ts");
    expect(copy.CclError).not.toBe(CclError);
    const error: unknown = new copy.CclError("any", "x");
    expect(error instanceof CclError).toBe(false);
    expect(CclError.isInstance(error)).toBe(true);
    expect(StoreError.isInstance(error)).toBe(false);
  });
});
