import { describe, expect, it } from "vitest";
import { recoveryFrom, versionBelow } from "./recovery-from.ts";

describe("recoveryFrom", () => {
  it.each([
    ["ERR_JSON_PARSE", "repair"],
    ["ERR_TRUNCATED", "repair"],
    ["ERR_ELISION", "repair"],
    ["ERR_UPDATE_WITHOUT_BASE", "repair"],
    ["ERR_PATCH_REQUIRED", "repair"],
    ["ERR_PATCH_APPLY_FAILED", "repair_then_descend"],
    ["ERR_EDIT_AMBIGUOUS", "repair_then_descend"],
    ["ERR_BASE_MISMATCH", "reread"],
    ["PROTECTED_PATH", "stop"],
    ["FORBIDDEN_PATH", "stop"],
  ] as const)("answers %s with %s", (code, recovery) => {
    expect(recoveryFrom({ code })).toBe(recovery);
  });

  it("descends from 3 to 2 to 1 and no further", () => {
    expect([versionBelow(3), versionBelow(2), versionBelow(1)]).toEqual([2, 1, undefined]);
  });
});
