/** The code units of a text in hex, 4 digits each: any text fits into a database and sorts by code units. */
export function sortKeyOf(text: string): string {
  let key = "";
  for (let index = 0; index < text.length; index += 1)
    key += text.charCodeAt(index).toString(16).padStart(4, "0");
  return key;
}

/** The text that a sort key stands for. */
export function textOfSortKey(key: string): string {
  let text = "";
  for (let at = 0; at + 4 <= key.length; at += 4)
    text += String.fromCharCode(Number.parseInt(key.slice(at, at + 4), 16));
  return text;
}

/** A text with what PostgreSQL does not take (NUL, halves of a pair) escaped; plain words stay as they are. */
export function termKeyOf(term: string): string {
  return JSON.stringify(term).slice(1, -1);
}
