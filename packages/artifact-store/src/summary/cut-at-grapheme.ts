/** Created on first use, because it takes 20 ms. */
let graphemes: Intl.Segmenter | undefined;

/** Returns up to `maxChars` UTF-16 code units from the beginning. Never splits a grapheme. */
export function cutAtGrapheme(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // A grapheme that extends beyond this is hostile (thousands of combining marks) and is left out.
  const near = text.slice(0, maxChars + 64);
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const grapheme = graphemes.segment(near).containing(maxChars);
  return text.slice(0, grapheme?.index ?? maxChars);
}
