const DOUBLE_MARKS = "“”„‟«»";
const SINGLE_MARKS = "'‘’‚‛`´";

/** The marks that may end a string which the mark opens; `undefined` if it opens none. */
export function closingMarks(mark: string | undefined): string | undefined {
  if (mark === undefined || !isQuote(mark)) return undefined;
  if (mark === '"' || mark === "'") return mark;
  return DOUBLE_MARKS.includes(mark) ? `"${DOUBLE_MARKS}` : SINGLE_MARKS;
}

/** Whether a string may start with the character. */
export function isQuote(mark: string | undefined): boolean {
  if (mark === '"' || mark === "'" || mark === "`") return true;
  // Asked at nearly every character of some texts, most of which are ASCII.
  return (
    mark !== undefined &&
    mark > "\u007f" &&
    (DOUBLE_MARKS.includes(mark) || SINGLE_MARKS.includes(mark))
  );
}
