import { redactSecrets, truncateMiddle } from "@ccl/core";

const longestReason = 300;

/** Formats a thrown value for a trace: secrets masked, the middle cut if it is long. */
export function failureReason(error: unknown): string {
  const text = redactSecrets(textOf(error)).text.trim();
  return text === "" ? "no reason" : truncateMiddle(text, { maxChars: longestReason }).text;
}

function textOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : (error ?? ""));
  } catch {
    // Some values can't be converted to a string.
    return "";
  }
}
