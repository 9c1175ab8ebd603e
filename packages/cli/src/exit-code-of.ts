import type { AliasesErrorCode } from "@ccl/aliases";
import type { CatalogErrorCode } from "@ccl/catalog";
import { CclError, type LanguageModelErrorCode } from "@ccl/core";
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
  | LanguageModelErrorCode
  | PlanProtocolErrorCode
  | QueryErrorCode
  | RecordsErrorCode
  | ReplayErrorCode;

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
    spending_limit: EXIT_CODES.budgetExceeded,
    registry_conflict: EXIT_CODES.conflict,
    registry_locked: EXIT_CODES.conflict,
    context_conflict: EXIT_CODES.conflict,
    plan_refused: EXIT_CODES.checkFailed,
    checks_failed: EXIT_CODES.checkFailed,
    confirmation_required: EXIT_CODES.confirmationRequired,
    plan_conflict: EXIT_CODES.conflict,
    apply_failed: EXIT_CODES.failure,
    workspace_unusable: EXIT_CODES.usage,
    journal_unusable: EXIT_CODES.failure,
    journal_damaged: EXIT_CODES.failure,
    workspace_busy: EXIT_CODES.conflict,
    workspace_closed: EXIT_CODES.failure,
    invalid_input: EXIT_CODES.usage,
    no_saved_plan: EXIT_CODES.usage,
    session_busy: EXIT_CODES.failure,
    memory_corrupt: EXIT_CODES.usage,
    recording_invalid: EXIT_CODES.usage,
    unknown_request: EXIT_CODES.modelFailed,
    timeout: EXIT_CODES.modelFailed,
    rate_limited: EXIT_CODES.modelFailed,
    authentication: EXIT_CODES.modelFailed,
    invalid_request: EXIT_CODES.modelFailed,
    unsupported_response_format: EXIT_CODES.modelFailed,
    context_length_exceeded: EXIT_CODES.modelFailed,
    content_filtered: EXIT_CODES.modelFailed,
    provider_error: EXIT_CODES.modelFailed,
    network_error: EXIT_CODES.modelFailed,
    source_failed: EXIT_CODES.sourceFailed,
    import_failed: EXIT_CODES.sourceFailed,
    catalog_damaged: EXIT_CODES.usage,
    catalog_conflict: EXIT_CODES.conflict,
    invalid_options: EXIT_CODES.usage,
    invalid_budget: EXIT_CODES.usage,
    client_missing: EXIT_CODES.usage,
    conflict: EXIT_CODES.conflict,
    damaged: EXIT_CODES.usage,
    disk_full: EXIT_CODES.failure,
    newer_format: EXIT_CODES.usage,
    read_only: EXIT_CODES.usage,
    unavailable: EXIT_CODES.failure,
    store_damaged: EXIT_CODES.usage,
    index_failed: EXIT_CODES.failure,
    closed: EXIT_CODES.failure,
    io_failed: EXIT_CODES.failure,
    plan_invalid: EXIT_CODES.usage,
    connector_missing: EXIT_CODES.usage,
    engine_missing: EXIT_CODES.usage,
    argument_missing: EXIT_CODES.usage,
    engine_failed: EXIT_CODES.sourceFailed,
    value_invalid: EXIT_CODES.sourceFailed,
    plan_not_compiled: EXIT_CODES.modelFailed,
    limit_exceeded: EXIT_CODES.budgetExceeded,
    aborted: EXIT_CODES.interrupted,
  } satisfies Record<ErrorCode, ExitCode>),
);

/** The exit code for whatever a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Error && error.name === "AbortError") return EXIT_CODES.interrupted;
  return (
    (CclError.isInstance(error) ? byErrorCode.get(error.code) : undefined) ?? EXIT_CODES.failure
  );
}
