import { OperationsError } from "../operations-error.ts";

/** What is wrong with one request is that one's outcome; the others go on. */
export function guarded<Value>(action: () => Value): Value | OperationsError {
  try {
    return action();
  } catch (error) {
    if (OperationsError.isInstance(error)) return error;
    throw error;
  }
}
