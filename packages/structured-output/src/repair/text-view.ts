/** A text with look-ahead that stays linear in total, since each search remembers the range it last crossed. */
export interface TextView {
  readonly text: string;
  /** The first offset from `from` on without white space. */
  skipSpace: (from: number) => number;
  /** Like `skipSpace`, but also skips one comment. Only one, so that hostile chains of comments cost nothing. */
  skipGap: (from: number) => number;
  /** The end of the comment at `from`. Returns `from` if there is none, and the text's length if it is unclosed. */
  skipComment: (from: number) => number;
}

type Search = (from: number) => number;

/** True for white space and zero-width characters. JSON allows only four of them. */
export function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0xa0) return false;
  return (
    code === 0xa0 ||
    code === 0xad ||
    code === 0x1680 ||
    code === 0x180e ||
    (code >= 0x2000 && code <= 0x200d) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x2060 ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** The first white space in the range that JSON does not allow, or -1. */
export function foreignSpace(text: string, start: number, end: number): number {
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
  }
  return -1;
}

/** Wraps a text for the tolerant parser. */
export function createTextView(text: string): TextView {
  const skipSpace = remember((from) => {
    let at = from;
    while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
    return at;
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
