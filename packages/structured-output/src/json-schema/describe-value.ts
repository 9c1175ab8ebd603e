import { redactSecrets } from "@ccl/core";

const maxQuotedCharacters = 200;
const maxShownCharacters = 60;

/**
 * Describes a value for a message. Short scalars are quoted with secrets masked, other values shown by kind and size.
 * Undefined if there is nothing to show.
 */
export function describeValue(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  const size = `a string of ${value.length} characters`;
  if (value.length > maxQuotedCharacters) return size;
  const masked = JSON.stringify(redactSecrets(value).text);
  return masked.length > maxShownCharacters ? size : masked;
}
