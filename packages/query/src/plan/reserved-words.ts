/** Reserved words, in lower case. A column with such a name needs double quotes. */
export const reservedWords: ReadonlySet<string> = new Set(
  "and as asc between case desc distinct else end false from in is like ilike not null nulls or select then true when".split(
    " ",
  ),
);

/** A name as plans write it: in double quotes unless it is a plain word. */
export function renderName(name: string): string {
  const isBare =
    /^[\p{L}_][\p{L}\p{N}\p{M}_]*$/u.test(name) && !reservedWords.has(name.toLowerCase());
  return isBare ? name : `"${name.replaceAll('"', '""')}"`;
}
