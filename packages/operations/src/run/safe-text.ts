import { redactSecrets } from "@ccl/core";

// Longer than any known secret, so that cutting before masking splits none.
const readAheadChars = 65_536;

/** Returns text that may be shown: masks secrets, then truncates it to `maxChars`, with a marker. */
export function safeText(text: string, maxChars: number): string {
  const { text: masked } = redactSecrets(text.slice(0, maxChars + readAheadChars));
  if (masked.length <= maxChars) return masked;
  const end = isHighSurrogate(masked.charCodeAt(maxChars - 2)) ? maxChars - 2 : maxChars - 1;
  return `${masked.slice(0, end)}…`;
}

/** True for the first half of a surrogate pair. */
export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
