import type { OperationErrorCode } from "../operation/operation-outcome.ts";

/** Options of an `OperationError`. */
export interface OperationErrorOptions {
  /** Facts that are safe to show. */
  details?: unknown;
  /** How long the provider asks callers to wait. */
  retryAfterMs?: number | undefined;
  /** False where asking again cannot help. */
  isTransient?: boolean | undefined;
}

/** An expected failure inside a handler, on its way to the outcome. Its message is masked and cut there. */
export class OperationError extends Error {
  readonly code: OperationErrorCode;
  readonly options: OperationErrorOptions;

  constructor(code: OperationErrorCode, message: string, options: OperationErrorOptions = {}) {
    super(message);
    this.code = code;
    this.options = options;
  }
}
