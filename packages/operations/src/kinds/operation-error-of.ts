import { LanguageModelError } from "@ccl/core";
import { StructuredOutputError } from "@ccl/structured-output/json-schema";

import { messageOf } from "../operation/message-of.ts";
import type { OperationErrorCode } from "../operation/operation-outcome.ts";
import { OperationError } from "./operation-error.ts";

/** The error behind anything that was thrown; causes are left out, since they may hold requests. */
export function operationErrorOf(
  error: unknown,
  otherwise: OperationErrorCode = "internal_error",
): OperationError {
  if (error instanceof OperationError) return error;
  if (LanguageModelError.isInstance(error)) return errorOfModel(error);
  if (StructuredOutputError.isInstance(error))
    return new OperationError("validation_error", error.message);
  return new OperationError(otherwise, messageOf(error));
}

function errorOfModel({ code, message, retryAfterMs, status }: LanguageModelError): OperationError {
  const details = { reason: code, status };
  const options = { details, retryAfterMs };
  switch (code) {
    case "timeout":
      return new OperationError("timeout", message, options);
    case "rate_limited":
      return new OperationError("rate_limited", message, options);
    case "content_filtered":
      return new OperationError("policy_error", message, { ...options, isTransient: false });
    case "provider_error":
    case "network_error":
      return new OperationError("provider_error", message, options);
    default:
      return new OperationError("provider_error", message, { ...options, isTransient: false });
  }
}
