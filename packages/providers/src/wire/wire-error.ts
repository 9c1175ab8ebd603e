import { CclError } from "@ccl/core";

/**
 * Why messages could not be converted. `invalid_messages`: not a list of objects; `invalid_options`: an option of the
 * wrong type; `unsupported_version`: an unknown version of the AI SDK's model interface.
 */
export type WireErrorCode = "invalid_messages" | "invalid_options" | "unsupported_version";

/** What the converters throw. Model adapters throw `LanguageModelError` `invalid_request` instead. */
export class WireError extends CclError<WireErrorCode> {
  static override readonly brand: string = "WireError";
}
