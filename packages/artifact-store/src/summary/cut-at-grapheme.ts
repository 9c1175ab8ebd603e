const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** At most `maxChars` UTF-16 code units from the beginning, never half a grapheme. */
export function cutAtGrapheme(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // A grapheme that reaches past this much is hostile (thousands of combining marks) and is left out whole.
  const near = text.slice(0, maxChars + 64);
  const grapheme = graphemes.segment(near).containing(maxChars);
  return text.slice(0, grapheme?.index ?? maxChars);
}
