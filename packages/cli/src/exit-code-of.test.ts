import { CclError } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { exitCodeOf } from "./exit-code-of.ts";

describe("the exit code", () => {
  it.each([
    ["usage", 2],
    ["input_invalid", 2],
    ["not_initialized", 2],
    ["clipboard_unavailable", 2],
    ["registry_corrupt", 2],
    ["registry_version_unsupported", 2],
    ["context_corrupt", 2],
    ["budget_exceeded", 4],
    ["registry_conflict", 5],
    ["registry_locked", 5],
    ["context_conflict", 5],
    ["plan_refused", 3],
    ["checks_failed", 3],
    ["confirmation_required", 6],
    ["plan_conflict", 5],
    ["apply_failed", 1],
    ["workspace_unusable", 2],
    ["workspace_busy", 5],
    ["memory_corrupt", 2],
    ["journal_damaged", 1],
    ["authentication", 7],
    ["timeout", 7],
    ["unknown_request", 7],
    ["recording_invalid", 2],
    ["source_failed", 8],
    ["import_failed", 8],
    ["damaged", 2],
    ["conflict", 5],
    ["invalid_options", 2],
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
