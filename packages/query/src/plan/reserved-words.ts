/** Reserved words, in lower case. Columns with these names need double quotes. */
export const reservedWords: ReadonlySet<string> = new Set(
  "and as asc between case desc distinct else end false from in is like ilike not null nulls or select then true when".split(
    " ",
  ),
);

/** Renders a name as plans do: in double quotes unless it is a plain word. */
export function renderName(name: string): string {
  const isBare =
    /^[\p{L}_][\p{L}\p{N}\p{M}_]*$/u.test(name) && !reservedWords.has(name.toLowerCase());
  return isBare ? name : `"${name.replaceAll('"', '""')}"`;
}
