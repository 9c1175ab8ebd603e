import { redactSecrets, truncateMiddle } from "@ccl/core";

const longestReason = 300;

/** Formats a thrown value for a trace: secrets masked, the middle cut if it is long. */
export function failureReason(error: unknown): string {
  const text = redactSecrets(errorText(error)).text.trim();
  return text === "" ? "no reason" : truncateMiddle(text, { maxChars: longestReason }).text;
}

/** Returns the message of an error, or any other thrown value as text. Empty if it has none. */
export function errorText(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : (error ?? ""));
  } catch {
    // A getter may throw, and some values can't be converted to a string.
    return "";
  }
}
