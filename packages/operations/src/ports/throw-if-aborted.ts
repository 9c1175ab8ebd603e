import { OperationsError } from "../operations-error.ts";
import type { StoreCall } from "./store-call.ts";

/** Ends a call of a store whose signal is aborted, before it has done anything. */
export function throwIfAborted(call: StoreCall | undefined): void {
  if (call?.signal?.aborted === true) {
    throw new OperationsError("aborted", "The call was aborted; nothing was written.", {
      cause: call.signal.reason,
    });
  }
}
