import { redactSecrets, truncateMiddle } from "@ccl/core";

/** Maximum length of a description or a title from a source, in characters. */
const maxTextChars = 2_000;

/**
 * Masks secrets in text from a source, then cuts long text and marks the cut. Returns undefined if there is no
 * text.
 */
export function cleanText(value: unknown, maxChars: number = maxTextChars): string | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return truncateMiddle(redactSecrets(value).text.trim(), { maxChars }).text;
}

/** Returns `{ [name]: text }` with the cleaned text, or `{}`, to spread into a record. */
export function cleanField<Name extends string>(
  name: Name,
  value: unknown,
): Partial<Record<Name, string>> {
  const text = cleanText(value);
  const field: Partial<Record<Name, string>> = {};
  if (text !== undefined) field[name] = text;
  return field;
}

const userInfo = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#\s@]*@/i;

/** Removes user and password from a URL and masks secrets in its query. */
export function cleanUrl(url: string): string {
  return redactSecrets(url.replace(userInfo, "$1")).text;
}
