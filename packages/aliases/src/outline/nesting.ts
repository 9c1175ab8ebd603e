/**
 * True if the source never has more than `limit` brackets open at once. Counts brackets in strings
 * and comments too.
 */
export function isNestedWithin(text: string, limit: number): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[()[\]{}]/g)) {
    depth = "([{".includes(bracket) ? depth + 1 : Math.max(0, depth - 1);
    if (depth > limit) return false;
  }
  return true;
}
