const pieces =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|([-+*/%<>=!~|&^:?@#]+|\b(?:and|or|like|ilike|rlike|regexp|glob|similar|between|is|in|isnull|notnull|at|collate|overlaps|div|xor|mod)\b)/giu;

/**
 * How many operators a statement has, at least as many as a parser finds. One that recurses over each of them breaks for
 * good at some 600 in WebAssembly.
 */
export function countOperators(text: string): number {
  // Quotes within these are read differently from database to database.
  const plain = /[\\$[`]/.test(text) ? text.replace(/['"]|--|\/\*/g, " ") : text;
  let count = 0;
  for (const [, operator] of plain.matchAll(pieces)) if (operator !== undefined) count += 1;
  return count;
}

/** The most that a parser in WebAssembly is given. */
export const maxOperators = 400;
