const pieces =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|([-+*/%<>=!~|&^:?@#]+|\b(?:and|or|like|ilike|rlike|regexp|glob|similar|between|is|in|isnull|notnull|at|collate|overlaps|div|xor|mod)\b)/giu;

/**
 * How many operators a statement has; never fewer than a parser finds. A parser in WebAssembly recurses over each of them,
 * and breaks for good at some 600.
 */
export function countOperators(text: string): number {
  // Quotes within these are read differently from database to database.
  const plain = /[\\$[`]/.test(text) ? text.replace(/['"]|--|\/\*/g, " ") : text;
  let count = 0;
  for (const [, operator] of plain.matchAll(pieces)) if (operator !== undefined) count += 1;
  return count;
}

/** Statements with more operators are not given to a parser in WebAssembly. */
export const maxOperators = 400;
