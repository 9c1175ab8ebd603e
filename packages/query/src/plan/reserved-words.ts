/** Words that a column name can only use in double quotes, in lower case. */
export const reservedWords: ReadonlySet<string> = new Set(
  "and as asc between case desc distinct else end false from in is like ilike not null nulls or select then true when".split(
    " ",
  ),
);
