import { CclError } from "@ccl/core";

/**
 * Why messages could not be converted. `invalid_messages`: not a list of objects; `unsupported_version`: an unknown
 * version of the AI SDK's model interface.
 */
export type WireErrorCode = "invalid_messages" | "unsupported_version";

/** The error class of the converters. Model adapters throw `LanguageModelError` `invalid_request` instead. */
export class WireError extends CclError<WireErrorCode> {
  static override readonly brand: string = "WireError";
}
