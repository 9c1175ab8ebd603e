import { redactSecrets, truncateMiddle } from "@ccl/core";

const longestReason = 300;

/** What a trace says of whatever was thrown: its secrets masked, its middle cut where it is long. */
export function failureReason(error: unknown): string {
  const text = redactSecrets(textOf(error)).text.trim();
  return text === "" ? "no reason" : truncateMiddle(text, { maxChars: longestReason }).text;
}

function textOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : (error ?? ""));
  } catch {
    // Not everything has a text.
    return "";
  }
}
