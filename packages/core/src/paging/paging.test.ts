import { describe, expect, it } from "vitest";

import { CclError } from "../ccl-error.ts";
import { cursorOffset, pageLimit } from "./index.ts";

class ListError extends CclError<"invalid_options"> {}
const sizes = { byDefault: 100, max: 1_000 };

describe("pages", () => {
  it("have the requested size, within the bounds", () => {
    expect(pageLimit(undefined, sizes, ListError)).toBe(100);
    expect(pageLimit(1, sizes, ListError)).toBe(1);
    expect(pageLimit(1_000, sizes, ListError)).toBe(1_000);
  });

  it.each([0, -1, 1.5, 1_001, Number.NaN, Infinity])("never have %s entries", (limit) => {
    expect(() => pageLimit(limit, sizes, ListError)).toThrow(
      `A page holds 1 to 1000 entries, not ${limit}.`,
    );
  });

  it("begin at the cursor", () => {
    expect(cursorOffset(undefined, ListError)).toBe(0);
    expect(cursorOffset("0250", ListError)).toBe(250);
  });

  it.each(["", "-1", "1e3", " 1", "9".repeat(16), "\u001b[2J"])(
    "reject the cursor %j",
    (cursor) => {
      expect(() => cursorOffset(cursor, ListError)).toThrow(
        expect.objectContaining({ code: "invalid_options" }),
      );
    },
  );
});
