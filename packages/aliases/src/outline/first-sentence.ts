const MAX_SENTENCE_CHARACTERS = 160;
const SENTENCE_END = /[.!?](?=\s|$)|[。！？]/g;
const ABBREVIATION = /(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|Mr|Dr|No)|\b[A-Z])$/;

function firstParagraph(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n", 40)) {
    const content = line.trim();
    if (content.startsWith("@") || content.startsWith("```")) break;
    if (content === "" && lines.length > 0) break;
    if (content !== "") lines.push(content);
  }
  return lines.join(" ").replace(/\s+/g, " ");
}

/** Returns the first sentence of documentation on one line, without comment marks. Empty if there is none. */
export function firstSentence(text: string): string {
  const paragraph = firstParagraph(text.slice(0, 4_000));
  let sentence = paragraph;
  for (const { index } of paragraph.matchAll(SENTENCE_END)) {
    if (ABBREVIATION.test(paragraph.slice(Math.max(0, index - 8), index))) continue;
    sentence = paragraph.slice(0, index + 1);
    break;
  }
  if (sentence.length <= MAX_SENTENCE_CHARACTERS) return sentence;
  const cut = sentence.lastIndexOf(" ", MAX_SENTENCE_CHARACTERS);
  return `${sentence.slice(0, cut > 0 ? cut : MAX_SENTENCE_CHARACTERS)}…`;
}
