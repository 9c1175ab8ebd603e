import type { AliasesErrorCode } from "@ccl/aliases";
import { CclError } from "@ccl/core";

import type { CliErrorCode } from "./cli-error.ts";

/** Every exit code of `ccl`; the README has the same table. */
export const EXIT_CODES = {
  ok: 0,
  failure: 1,
  usage: 2,
  checkFailed: 3,
  budgetExceeded: 4,
  conflict: 5,
  interrupted: 130,
} as const;

/** One of the closed list of exit codes. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

const byErrorCode = new Map<string, ExitCode>(
  Object.entries({
    usage: EXIT_CODES.usage,
    input_invalid: EXIT_CODES.usage,
    not_initialized: EXIT_CODES.usage,
    clipboard_unavailable: EXIT_CODES.usage,
    registry_corrupt: EXIT_CODES.usage,
    registry_version_unsupported: EXIT_CODES.usage,
    context_corrupt: EXIT_CODES.usage,
    rules_invalid: EXIT_CODES.usage,
    delta_mismatch: EXIT_CODES.usage,
    budget_exceeded: EXIT_CODES.budgetExceeded,
    registry_conflict: EXIT_CODES.conflict,
    registry_locked: EXIT_CODES.conflict,
    context_conflict: EXIT_CODES.conflict,
    io_failed: EXIT_CODES.failure,
    aborted: EXIT_CODES.interrupted,
  } satisfies Record<AliasesErrorCode | CliErrorCode, ExitCode>),
);

/** The exit code for whatever a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Error && error.name === "AbortError") return EXIT_CODES.interrupted;
  return (CclError.isInstance(error) ? byErrorCode.get(error.code) : undefined) ?? EXIT_CODES.failure;
}
