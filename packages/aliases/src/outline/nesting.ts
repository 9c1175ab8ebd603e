const OPENING = new Set(["(", "[", "{"].map((bracket) => bracket.charCodeAt(0)));
const CLOSING = new Set([")", "]", "}"].map((bracket) => bracket.charCodeAt(0)));

/** Whether a text never has more than `limit` open brackets, even inside strings and comments. */
export function isNestedWithin(text: string, limit: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (OPENING.has(code) && ++depth > limit) return false;
    if (CLOSING.has(code) && depth > 0) depth--;
  }
  return true;
}
