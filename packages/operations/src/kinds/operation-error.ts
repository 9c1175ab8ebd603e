import type { LanguageModelError } from "@ccl/core";

import type { OperationErrorCode } from "../operation/operation-definition.ts";

/** Options of an `OperationError`. */
export interface OperationErrorOptions {
  /** False if another attempt cannot help. */
  isTransient?: boolean | undefined;
  /** Delay that the provider requests. */
  retryAfterMs?: number | undefined;
  /** Details that are safe to show. */
  details?: unknown;
}

/** An expected failure inside a handler. The outcome contains its message, masked and truncated. */
export class OperationError extends Error {
  readonly code: OperationErrorCode;
  readonly options: OperationErrorOptions;

  constructor(code: OperationErrorCode, message: string, options: OperationErrorOptions = {}) {
    super(message);
    this.code = code;
    this.options = options;
  }
}

/** Converts a model's error code to that of the operation or main call. */
export function modelErrorCode(code: LanguageModelError["code"]): OperationErrorCode {
  if (code === "timeout" || code === "rate_limited") return code;
  return code === "content_filtered" ? "policy_error" : "provider_error";
}
