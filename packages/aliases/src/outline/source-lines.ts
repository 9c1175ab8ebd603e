/**
 * Returns the lines of a source without their line endings. Truncates each to `maxCharacters`, to
 * limit the cost of matching a pattern against it.
 */
export function* sourceLines(text: string, maxCharacters: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const last = text[end - 1] === "\r" ? end - 1 : end;
    if (last > start) yield text.slice(start, Math.min(last, start + maxCharacters));
    start = end + 1;
  }
}
