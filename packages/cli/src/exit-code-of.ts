import type { AliasesErrorCode } from "@ccl/aliases";
import type { CatalogErrorCode } from "@ccl/catalog";
import { CclError, type LanguageModelErrorCode } from "@ccl/core";
import type { GatewayError } from "@ccl/gateway";
import type { InspectorError } from "@ccl/inspector";
import type { PlanProtocolErrorCode } from "@ccl/plan-protocol";
import type { QueryErrorCode } from "@ccl/query";
import type { ReplayErrorCode } from "@ccl/providers/replay";
import type { RecordsErrorCode } from "@ccl/records";

import type { CliErrorCode } from "./cli-error.ts";
import { EXIT_CODES, type ExitCode } from "./exit-code.ts";

type ErrorCode =
  | AliasesErrorCode
  | CatalogErrorCode
  | CliErrorCode
  | GatewayError["code"]
  | InspectorError["code"]
  | LanguageModelErrorCode
  | PlanProtocolErrorCode
  | QueryErrorCode
  | RecordsErrorCode
  | ReplayErrorCode;

const errorCodes = [
  [
    EXIT_CODES.usage,
    [
      "usage",
      "input_invalid",
      "not_initialized",
      "clipboard_unavailable",
      "registry_corrupt",
      "registry_version_unsupported",
      "context_corrupt",
      "workspace_unusable",
      "invalid_input",
      "no_saved_plan",
      "memory_corrupt",
      "recording_invalid",
      "invalid_options",
      "invalid_budget",
      "listen_failed",
      "damaged",
      "newer_format",
      "read_only",
      "plan_invalid",
      "connector_missing",
      "engine_missing",
      "argument_missing",
      "unknown_view",
    ],
  ],
  [EXIT_CODES.budgetExceeded, ["budget_exceeded", "spending_limit", "limit_exceeded"]],
  [
    EXIT_CODES.conflict,
    [
      "registry_conflict",
      "registry_locked",
      "context_conflict",
      "plan_conflict",
      "workspace_busy",
      "conflict",
    ],
  ],
  [EXIT_CODES.checkFailed, ["plan_refused", "checks_failed"]],
  [EXIT_CODES.confirmationRequired, ["confirmation_required"]],
  [
    EXIT_CODES.failure,
    [
      "apply_failed",
      "journal_unusable",
      "journal_damaged",
      "workspace_closed",
      "session_busy",
      "disk_full",
      "unavailable",
      "index_failed",
      "closed",
      "io_failed",
    ],
  ],
  [
    EXIT_CODES.modelFailed,
    [
      "unknown_request",
      "timeout",
      "rate_limited",
      "authentication",
      "invalid_request",
      "unsupported_response_format",
      "context_length_exceeded",
      "content_filtered",
      "provider_error",
      "network_error",
    ],
  ],
  [EXIT_CODES.sourceFailed, ["source_failed", "import_failed", "engine_failed", "value_invalid"]],
  [EXIT_CODES.interrupted, ["aborted"]],
] as const satisfies readonly (readonly [ExitCode, readonly ErrorCode[]])[];

/** Exit codes by error code. Does not compile if an error code of the libraries is missing. */
const byErrorCode = new Map<
  ErrorCode extends (typeof errorCodes)[number][1][number] ? string : never,
  ExitCode
>(errorCodes.flatMap(([exitCode, codes]) => codes.map((code) => [code, exitCode] as const)));

/** Returns the exit code for anything that a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Error && error.name === "AbortError") return EXIT_CODES.interrupted;
  return (
    (CclError.isInstance(error) ? byErrorCode.get(error.code) : undefined) ?? EXIT_CODES.failure
  );
}
