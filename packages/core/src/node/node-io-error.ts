import { CclError } from "../ccl-error.ts";
import { systemCode } from "./system-code.ts";

/**
 * Why a file operation failed. `read_failed` and `write_failed` have the system's error as `cause`.
 * `root_unusable`: the root of `resolveInside` is missing or not a folder. `locked`: another owner
 * held a file lock for longer than the caller waits. `aborted`: the call's signal ended it.
 */
type NodeIoErrorCode = "read_failed" | "write_failed" | "root_unusable" | "locked" | "aborted";

/** The error that functions of `@ccl/core/node` throw. */
export class NodeIoError extends CclError<NodeIoErrorCode> {
  static override readonly brand: string = "NodeIoError";
}

/** Creates a failure with the system's error code in its message. */
export function ioError(code: NodeIoErrorCode, problem: string, cause: unknown): NodeIoError {
  if (NodeIoError.isInstance(cause)) return cause;
  return new NodeIoError(code, `${problem} (${systemCode(cause) ?? "unexpected"}).`, { cause });
}
