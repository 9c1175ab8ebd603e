import { isIdentifierLike } from "./value-rank.ts";

const longestScan = 200_000;

/**
 * Returns the distinct identifiers and paths in the text, in the order of their first occurrence.
 */
export function identifiersOf(text: string): string[] {
  const words =
    text.slice(0, longestScan).match(/(?:(?<![\w./<])\.{0,2}\/)?[#A-Za-z0-9_][\w./@#-]{2,63}/g) ??
    [];
  const names = new Set<string>();
  for (const word of words) {
    const name = word.replace(/[.:,-]+$/, "");
    if (isIdentifierLike(name)) names.add(name);
  }
  return [...names];
}
