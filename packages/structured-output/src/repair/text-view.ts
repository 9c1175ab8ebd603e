/** Text with look-ahead that is linear in total, since each search remembers the range it last crossed. */
export interface TextView {
  readonly text: string;
  /** Returns the first non-white-space offset from `from` on. */
  skipSpace: (from: number) => number;
  /** Like `skipSpace`, but also skips one comment. Only one, so that hostile comment chains cost nothing. */
  skipGap: (from: number) => number;
  /** Returns the end of the comment at `from`, `from` if there is none, or the text's length if it is unclosed. */
  skipComment: (from: number) => number;
}

type Search = (from: number) => number;

const SPACE = /[\s\u00ad\u180e\u200b-\u200d\u2060]/;
const SPACES = new RegExp(`${SPACE.source}*`, "y");

/** True for white space and zero-width characters. JSON allows only four of them. */
export function isSpace(character: string): boolean {
  return SPACE.test(character);
}

/** Returns the first white space in the range that JSON does not allow, or -1. */
export function foreignSpace(text: string, start: number, end: number): number {
  if (start === end) return -1;
  const at = text.slice(start, end).search(/[^ \n\r\t]/);
  return at < 0 ? at : start + at;
}

/**
 * True if a comment may be the rest of a string with inner quotes: it ends like a string whose start is not in it, or
 * its `#` follows a quote, as in `the "#1" song`.
 */
export function hidesString(text: string, start: number, end: number): boolean {
  if (/^["']#\w/.test(text.slice(start - 1, start + 2))) return true;
  const comment = text.slice(start, end);
  const mark = /(["'])[\s,\]}]*$/.exec(comment)?.[1];
  return mark !== undefined && comment.split(mark).length % 2 === 0;
}

/** Wraps text for the tolerant parser. */
export function createTextView(text: string): TextView {
  const skipSpace = remember((from) => {
    SPACES.lastIndex = from;
    return SPACES.test(text) ? SPACES.lastIndex : from;
  });
  const findBlockEnd = remember((from) => indexOrEnd(text, "*/", from));
  const findLineEnd = remember((from) => indexOrEnd(text, "\n", from));

  const skipComment = (from: number): number => {
    const first = text[from];
    if (first === "#") return findLineEnd(from);
    if (first !== "/") return from;
    const second = text[from + 1];
    if (second === "/") return findLineEnd(from);
    return second === "*" ? Math.min(findBlockEnd(from + 2) + 2, text.length) : from;
  };

  return {
    text,
    skipSpace,
    skipComment,
    skipGap: (from) => skipSpace(skipComment(skipSpace(from))),
  };
}

function remember(search: Search): Search {
  let start = -1;
  let found = -1;
  return (from) => {
    if (from < start || from > found) {
      start = from;
      found = search(from);
    }
    return found;
  };
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index < 0 ? text.length : index;
}
