import { describe, expect, it } from "vitest";
import { failure, success, type Issue } from "./result.ts";

describe("Result", () => {
  it("has the value of a success", () => {
    expect(success([1])).toEqual({ ok: true, value: [1] });
  });

  it("has every issue of a failure, in order", () => {
    const issues: [Issue, Issue] = [
      { code: "empty", path: ["name"], message: "The name is empty." },
      {
        code: "too_long",
        path: ["tags", 3],
        message: "The tag has 90 characters.",
        severity: "warning",
      },
    ];
    expect(failure(...issues)).toEqual({ ok: false, issues });
  });
});
