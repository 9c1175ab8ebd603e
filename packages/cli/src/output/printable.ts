// File names may contain escape sequences, which would control the reader's terminal.
const UNSAFE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;
const UNSAFE_IN_LINES = /(?!\n)[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** Makes a name safe for a terminal: shows control and direction characters as `\u{1b}`. */
export function printable(text: string): string {
  return text.replaceAll(UNSAFE, escapeCharacter);
}

/** Makes a message of several lines safe for a terminal. */
export function printableLines(text: string): string {
  return text.replaceAll(UNSAFE_IN_LINES, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
