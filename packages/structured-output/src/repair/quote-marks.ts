const DOUBLE_MARKS = "“”„‟«»";
const SINGLE_MARKS = "'‘’‚‛`´";

/** The marks that may end a string which the mark opens; `undefined` if it opens none. */
export function closingMarks(mark: string | undefined): string | undefined {
  if (mark === undefined || mark === "") return undefined;
  if (mark === '"' || mark === "'") return mark;
  if (DOUBLE_MARKS.includes(mark)) return `"${DOUBLE_MARKS}`;
  return SINGLE_MARKS.includes(mark) ? SINGLE_MARKS : undefined;
}

/** Whether a string may start with the character. */
export function isQuote(mark: string | undefined): boolean {
  return closingMarks(mark) !== undefined;
}
