import { CclError } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { exitCodeOf } from "./exit-code.ts";

describe("the exit code", () => {
  it.each([
    ["usage", 2],
    ["input_invalid", 2],
    ["not_initialized", 2],
    ["clipboard_unavailable", 2],
    ["registry_corrupt", 2],
    ["registry_version_unsupported", 2],
    ["context_corrupt", 2],
    ["rules_invalid", 2],
    ["delta_mismatch", 2],
    ["budget_exceeded", 4],
    ["registry_conflict", 5],
    ["registry_locked", 5],
    ["context_conflict", 5],
    ["io_failed", 1],
    ["a_code_of_a_later_version", 1],
    ["aborted", 130],
  ])("of %s is %d", (code, exitCode) => {
    expect(exitCodeOf(new CclError(code, "It failed."))).toBe(exitCode);
  });

  it.each([
    ["a bug", new TypeError("x is undefined"), 1],
    ["something that is no error", "text", 1],
    ["an aborted system call", AbortSignal.abort().reason, 130],
  ])("of %s is %o", (_, thrown, exitCode) => {
    expect(exitCodeOf(thrown)).toBe(exitCode);
  });
});
