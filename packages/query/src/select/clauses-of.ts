import type { SqlPlan } from "./parse-sql.ts";

const effectOrder =
  "with from where group having window qualify select order limit offset fetch".split(" ");
const setOperations = ["union", "intersect", "except"];
const maxCharacters = 200;

/**
 * Returns the clauses of the outermost SELECT in execution order, or in text order if it combines several SELECTs.
 */
export function clausesOf({ text, tokens }: Pick<SqlPlan, "text" | "tokens">): string[] {
  const starts = tokens.filter(
    (token, at) =>
      token.depth === 0 &&
      token.kind === "word" &&
      [...effectOrder, ...setOperations].includes(token.text) &&
      !(token.text === "from" && tokens[at - 1]?.text === "distinct"),
  );
  const clauses = starts.map((token, at) => {
    const clause = text
      .slice(token.start, starts[at + 1]?.start)
      .replace(/\s+/g, " ")
      .trim();
    const shown = clause.length > maxCharacters ? `${clause.slice(0, maxCharacters)}…` : clause;
    return { place: effectOrder.indexOf(token.text), shown };
  });
  const isCombined = clauses.some(({ place }) => place < 0);
  const ordered = isCombined ? clauses : clauses.toSorted((a, b) => a.place - b.place);
  return ordered.map(({ shown }) => shown);
}
