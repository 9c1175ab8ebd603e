import { CclError } from "../ccl-error.ts";

/** Why a file could not be written or read; `cause` has the operating system's error. */
export type NodeIoErrorCode = "io_failed" | "aborted" | "closed" | "line_invalid";

/** What `@ccl/core/node` throws. */
export class NodeIoError extends CclError<NodeIoErrorCode> {
  static override readonly brand: string = "NodeIoError";
}
