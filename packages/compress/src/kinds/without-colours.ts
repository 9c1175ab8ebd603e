const escape = String.fromCharCode(27);
const escapes = new RegExp(String.raw`${escape}(?:\[[0-9;?]*[A-Za-z]|\][^\x07]{0,400}\x07)`, "g");

/** Removes the escape codes that set colours or titles in a terminal. */
export function withoutColours(text: string): string {
  return text.includes(escape) ? text.replace(escapes, "") : text;
}
