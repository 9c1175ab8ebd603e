/**
 * Decodes a string that is stored as its code units in hex, 4 digits each, so that the database
 * sorts it as JavaScript does.
 */
export function textOfSortKey(key: string): string {
  let text = "";
  for (let at = 0; at + 4 <= key.length; at += 4)
    text += String.fromCharCode(Number.parseInt(key.slice(at, at + 4), 16));
  return text;
}
