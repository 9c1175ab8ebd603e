import { groupDigits } from "@ccl/core";

export { formatCount } from "@ccl/core";

/** Formats a whole number with commas between thousands, the same in every locale. */
export function formatNumber(value: number): string {
  return groupDigits(Math.round(value));
}

/** Formats a value as indented JSON that ends with a line feed. Integers beyond JSON's safe range become strings. */
export function jsonOf(value: unknown): string {
  const safe = (_: string, one: unknown): unknown => (typeof one === "bigint" ? String(one) : one);
  return `${JSON.stringify(value, safe, 2)}\n`;
}

/** Ends a string with a line feed. The empty string stays empty. */
export function lineOf(text: string): string {
  return text === "" ? "" : `${text}\n`;
}

/** Lists the first five names and the number of further ones. */
export function few(names: readonly string[]): string {
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return names.slice(0, 5).join(", ") + more;
}

// File names may contain escape sequences, which would control the reader's terminal.
const UNSAFE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** Makes a name safe for a terminal: shows control and direction characters as `\u{1b}`. */
export function printable(text: string): string {
  return text.replaceAll(
    UNSAFE,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Makes a message of several lines safe for a terminal. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
