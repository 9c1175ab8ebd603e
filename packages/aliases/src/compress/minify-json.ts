/**
 * The JSON text without the white space between its tokens; undefined when it is not JSON. Works on the text, so that
 * numbers keep their spelling, strings their escapes, and double keys stay.
 */
export function minifyJson(text: string): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code === space || code === lineFeed || code === carriageReturn || code === tab) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.join("");
}

const [quote, backslash, space, lineFeed, carriageReturn, tab] = [
  0x22, 0x5c, 0x20, 0x0a, 0x0d, 0x09,
];

/** The index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) !== quote)
    index += text.charCodeAt(index) === backslash ? 2 : 1;
  return index;
}
