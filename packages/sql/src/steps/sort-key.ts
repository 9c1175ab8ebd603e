/**
 * Encodes the code units of a text in hex, 4 digits each. Any database stores the key and sorts it as JavaScript sorts
 * the text.
 */
export function sortKeyOf(text: string): string {
  let key = "";
  for (let index = 0; index < text.length; index += 1)
    key += text.charCodeAt(index).toString(16).padStart(4, "0");
  return key;
}

/** Decodes a sort key. */
export function textOfSortKey(key: string): string {
  let text = "";
  for (let at = 0; at + 4 <= key.length; at += 4)
    text += String.fromCharCode(Number.parseInt(key.slice(at, at + 4), 16));
  return text;
}
