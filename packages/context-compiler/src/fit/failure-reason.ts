import { redactSecrets, truncateMiddle } from "@ccl/core";

const longestReason = 300;

/** Formats a thrown value for a trace. Masks secrets, and cuts a long text in the middle. */
export function failureReason(error: unknown): string {
  const text = redactSecrets(errorText(error)).text.trim();
  return text === "" ? "no reason" : truncateMiddle(text, { maxChars: longestReason }).text;
}

/** Returns an error's message, or any other thrown value as text. Empty if there is none. */
export function errorText(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : (error ?? ""));
  } catch {
    // A getter may throw, and some values can't be converted to strings.
    return "";
  }
}
