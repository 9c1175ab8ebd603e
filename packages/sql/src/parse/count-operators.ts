const pieces =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|([-+*/%<>=!~|&^:?@#]+|\b(?:and|or|like|ilike|rlike|regexp|glob|similar|between|is|in|isnull|notnull|at|collate|overlaps|div|xor|mod)\b)/giu;

/**
 * Returns an upper bound for the number of operators in a statement. A parser in WebAssembly recurses for each
 * operator and breaks permanently at about 600.
 */
export function countOperators(text: string): number {
  // Databases disagree about what quotes mean in such text.
  const plain = /[\\$[`]/.test(text) ? text.replace(/['"]|--|\/\*/g, " ") : text;
  let count = 0;
  for (const [, operator] of plain.matchAll(pieces)) if (operator !== undefined) count += 1;
  return count;
}

/** Maximum number of operators in a statement passed to a parser in WebAssembly. */
export const maxOperators = 400;
