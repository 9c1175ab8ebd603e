/** Takes 20 ms to make, which no process should pay at its start. */
let graphemes: Intl.Segmenter | undefined;

/** At most `maxChars` UTF-16 code units from the beginning, never half a grapheme. */
export function cutAtGrapheme(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // A grapheme that reaches past this much is hostile (thousands of combining marks) and is left out whole.
  const near = text.slice(0, maxChars + 64);
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const grapheme = graphemes.segment(near).containing(maxChars);
  return text.slice(0, grapheme?.index ?? maxChars);
}
