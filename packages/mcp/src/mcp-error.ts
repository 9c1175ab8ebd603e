import { CclError } from "@ccl/core";

/** Why a call to this package failed. Mistakes of a model are returned as results with `isError` instead. */
export type McpErrorCode =
  /** An option is invalid. The message quotes it. */
  | "invalid_options"
  /** A server file or client settings file can't be read or parsed. */
  | "config_invalid"
  /** A server's tool list never ends. */
  | "endless_list"
  /** The server can't listen on the address. */
  | "listen_failed"
  /** It was used after `close()`. */
  | "closed";

/** The error class of this package. Messages name servers and files, never tokens or environment values. */
export class McpError extends CclError<McpErrorCode> {
  static override readonly brand: string = "McpError";
}
