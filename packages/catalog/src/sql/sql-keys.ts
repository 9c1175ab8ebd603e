/** A text with what PostgreSQL does not take (NUL, halves of a pair) escaped; plain words stay as they are. */
export function termKeyOf(term: string): string {
  return JSON.stringify(term).slice(1, -1);
}
