import { LanguageModelError } from "@ccl/core";

/** For what a wire format can't express: nothing of a request is left out in silence. */
export function unsupportedRequest(
  provider: string,
  what: string,
  remedy: string,
): LanguageModelError {
  return new LanguageModelError("invalid_request", `${provider} can't carry ${what}; ${remedy}.`);
}
