import { DIVIDER, type TextChange } from "../place/file-change.ts";
import { type PlanIssue, planIssue } from "../plan-issue.ts";

const SEARCH = /^(?:<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)\b|-{5,9} ?SEARCH\b)/;
const REPLACE = /^(?:>{5,9} ?(?:REPLACE|UPDATED)\b|\+{5,9} ?REPLACE\b)/;
/** Line hints that Roo writes above a block's old lines. */
const LINE_HINT = /^:(?:start|end)_line: ?(\d+)\s*$/;

/** True for the first line of a block. */
export function beginsBlock(line: string | undefined): boolean {
  return SEARCH.test(line ?? "");
}

/** Returns the text after the marker on a block's first line, which may be a path. */
export function textAtMark(line: string): string {
  return line.replace(SEARCH, "").trim();
}

/**
 * Reads a `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE` block, or one with Cline's markers. `end` is the line after
 * it.
 */
export function readBlock(
  lines: readonly string[],
  at: number,
): { text: TextChange; end: number } | PlanIssue {
  let end = at + 1;
  while (end < lines.length && !REPLACE.test(lines[end] ?? "") && !beginsBlock(lines[end]))
    end += 1;
  const body = lines.slice(at + 1, end);
  const dividers = body.flatMap((line, index) => (DIVIDER.test(line) ? [index] : []));
  // NaN without a hint, which matches no line.
  const statedAt = Number(LINE_HINT.exec(body[0] ?? "")?.[1]) - 1;
  const [text, ...others] = dividers.map((divider): TextChange => ({
    before: textOf(body.slice(0, divider)),
    after: textOf(body.slice(divider + 1)),
    isLines: true,
    statedAt,
  }));
  return text === undefined || !REPLACE.test(lines[end] ?? "")
    ? planIssue("ERR_TRUNCATED", "A SEARCH block has no end. Give all of its lines.")
    : { text: { ...text, others }, end: end + 1 };
}

function textOf(lines: readonly string[]): string {
  let from = 0;
  while (LINE_HINT.test(lines[from] ?? "")) from += 1;
  if (from > 0 && /^-{5,9}\s*$/.test(lines[from] ?? "")) from += 1;
  return lines
    .slice(from)
    .map((line) => `${line}\n`)
    .join("");
}
