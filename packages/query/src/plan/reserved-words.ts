/** Reserved words, in lower case. A column with such a name needs double quotes. */
export const reservedWords: ReadonlySet<string> = new Set(
  "and as asc between case desc distinct else end false from in is like ilike not null nulls or select then true when".split(
    " ",
  ),
);
