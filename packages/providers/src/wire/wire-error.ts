import { CclError } from "@ccl/core";

/**
 * Why messages could not be converted. `unsupported_message`: one format has no place for what the other holds;
 * `invalid_messages`: not a list of objects; `invalid_options`: an option of the wrong type;
 * `unsupported_version`: a version of the AI SDK's model interface that is not known.
 */
export type WireErrorCode =
  | "unsupported_message"
  | "invalid_messages"
  | "invalid_options"
  | "unsupported_version";

/** What the converters throw. Model adapters throw `LanguageModelError` `invalid_request` in its place. */
export class WireError extends CclError<WireErrorCode> {
  static override readonly brand: string = "WireError";
}

/** The error for content that a format can't express: a converter never drops content silently. */
export function unsupportedMessage(format: string, what: string, remedy: string): WireError {
  return new WireError("unsupported_message", `${format} can't carry ${what}; ${remedy}.`);
}
