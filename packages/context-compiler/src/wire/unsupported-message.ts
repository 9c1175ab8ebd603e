import { ContextCompilerError } from "../context-compiler-error.ts";

/** For what a wire format can't express, or what of it has no place in a `ChatMessage`: nothing is left out in silence. */
export function unsupportedMessage(
  format: string,
  what: string,
  remedy: string,
): ContextCompilerError {
  return new ContextCompilerError(
    "unsupported_message",
    `${format} can't carry ${what}; ${remedy}.`,
  );
}
