import { LanguageModelError } from "@ccl/core";
import { StructuredOutputError } from "@ccl/structured-output";

import type { OperationErrorCode } from "../operation/operation-outcome.ts";
import { messageOf } from "../operation/message-of.ts";

/** Facts of a fault. */
export interface OperationFaultOptions {
  /** Facts that are safe to show. */
  details?: unknown;
  /** How long whoever was asked wants to be left alone. */
  retryAfterMs?: number | undefined;
  /** False where asking again cannot help. */
  isTransient?: boolean | undefined;
}

/** An expected failure inside a handler, on its way to the outcome. Its message is masked and cut there. */
export class OperationFault extends Error {
  readonly code: OperationErrorCode;
  readonly options: OperationFaultOptions;

  constructor(code: OperationErrorCode, message: string, options: OperationFaultOptions = {}) {
    super(message);
    this.code = code;
    this.options = options;
  }
}

/** The fault behind whatever was thrown; causes are left out, since they may hold requests. */
export function faultOf(
  error: unknown,
  otherwise: OperationErrorCode = "internal_error",
): OperationFault {
  if (error instanceof OperationFault) return error;
  if (LanguageModelError.isInstance(error)) return faultOfModel(error);
  if (StructuredOutputError.isInstance(error))
    return new OperationFault("validation_error", error.message);
  return new OperationFault(otherwise, messageOf(error));
}

function faultOfModel({ code, message, retryAfterMs, status }: LanguageModelError): OperationFault {
  const details = { reason: code, status };
  const options = { details, retryAfterMs };
  switch (code) {
    case "timeout":
      return new OperationFault("timeout", message, options);
    case "rate_limited":
      return new OperationFault("rate_limited", message, options);
    case "content_filtered":
      return new OperationFault("policy_error", message, { ...options, isTransient: false });
    case "provider_error":
    case "network_error":
      return new OperationFault("provider_error", message, options);
    default:
      return new OperationFault("provider_error", message, { ...options, isTransient: false });
  }
}
