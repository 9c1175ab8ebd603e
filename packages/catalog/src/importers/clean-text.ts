import { redactSecrets, truncateMiddle } from "@ccl/core";

/** How long a description or a title from a source may be, in characters. */
const maxTextChars = 2_000;

/** A text of a source as data: secrets are masked, then what is too long is cut with a mark. Undefined where there is none. */
export function cleanText(value: unknown, maxChars: number = maxTextChars): string | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return truncateMiddle(redactSecrets(value).text.trim(), { maxChars }).text;
}

/** `{ [name]: text }` with the text cleaned, or nothing; to be spread into a record. */
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

/** A URL without its user and password, with secrets in its query masked. */
export function cleanUrl(url: string): string {
  return redactSecrets(url.replace(userInfo, "$1")).text;
}
