const escape = String.fromCharCode(27);
const escapes = new RegExp(String.raw`${escape}(?:\[[0-9;?]*[A-Za-z]|\][^\x07]{0,400}\x07)`, "g");

/** Without what a terminal would read as a colour or a title. */
export function withoutColours(text: string): string {
  return text.includes(escape) ? text.replace(escapes, "") : text;
}
