/** Converts text to lower case, letter by letter like DuckDB: Σ becomes σ even at the end of a word. */
export function lowered(text: string): string {
  return [...text]
    .map((character) => (character === "\u0130" ? "i" : character.toLowerCase()))
    .join("");
}
