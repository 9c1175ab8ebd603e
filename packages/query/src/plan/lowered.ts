/** The text in lower case, letter by letter as DuckDB does: Σ is σ even at the end of a word. */
export function lowered(text: string): string {
  return [...text]
    .map((character) => (character === "\u0130" ? "i" : character.toLowerCase()))
    .join("");
}
