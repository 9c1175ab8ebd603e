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

const {
  usage,
  budgetExceeded,
  conflict,
  checkFailed,
  confirmationRequired,
  failure,
  modelFailed,
  sourceFailed,
  interrupted,
} = EXIT_CODES;
const byErrorCode = new Map<string, ExitCode>(
  Object.entries({
    usage,
    input_invalid: usage,
    not_initialized: usage,
    clipboard_unavailable: usage,
    registry_corrupt: usage,
    registry_version_unsupported: usage,
    context_corrupt: usage,
    rules_invalid: usage,
    delta_mismatch: usage,
    budget_exceeded: budgetExceeded,
    spending_limit: budgetExceeded,
    registry_conflict: conflict,
    registry_locked: conflict,
    context_conflict: conflict,
    plan_refused: checkFailed,
    checks_failed: checkFailed,
    confirmation_required: confirmationRequired,
    plan_conflict: conflict,
    apply_failed: failure,
    workspace_unusable: usage,
    journal_unusable: failure,
    journal_damaged: failure,
    workspace_busy: conflict,
    workspace_closed: failure,
    invalid_input: usage,
    no_saved_plan: usage,
    session_busy: failure,
    memory_corrupt: usage,
    recording_invalid: usage,
    unknown_request: modelFailed,
    timeout: modelFailed,
    rate_limited: modelFailed,
    authentication: modelFailed,
    invalid_request: modelFailed,
    unsupported_response_format: modelFailed,
    context_length_exceeded: modelFailed,
    content_filtered: modelFailed,
    provider_error: modelFailed,
    network_error: modelFailed,
    source_failed: sourceFailed,
    import_failed: sourceFailed,
    catalog_damaged: usage,
    catalog_conflict: conflict,
    invalid_options: usage,
    invalid_budget: usage,
    client_missing: usage,
    conflict,
    damaged: usage,
    disk_full: failure,
    newer_format: usage,
    read_only: usage,
    unavailable: failure,
    store_damaged: usage,
    index_failed: failure,
    closed: failure,
    io_failed: failure,
    plan_invalid: usage,
    connector_missing: usage,
    engine_missing: usage,
    argument_missing: usage,
    engine_failed: sourceFailed,
    value_invalid: sourceFailed,
    plan_not_compiled: modelFailed,
    limit_exceeded: budgetExceeded,
    aborted: interrupted,
  } satisfies Record<ErrorCode, ExitCode>),
);

/** The exit code for whatever a command threw. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Error && error.name === "AbortError") return interrupted;
  return (CclError.isInstance(error) ? byErrorCode.get(error.code) : undefined) ?? failure;
}
