import { OperationsError } from "../operations-error.ts";

/** Returns the error of one request as its outcome, so that the other requests continue. */
export function guarded<Value>(action: () => Value): Value | OperationsError {
  try {
    return action();
  } catch (error) {
    if (OperationsError.isInstance(error)) return error;
    throw error;
  }
}
