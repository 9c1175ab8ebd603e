/**
 * How a language writes strings, comments and blocks. Strings must stay unchanged. Comments may be
 * removed.
 */
export interface LexicalStyle {
  lineComment: "//" | "#";
  hasBlockComments: boolean;
  /** Characters that open and close a string. */
  quotes: string;
  /** Quotes whose strings have no backslash escapes. */
  rawQuotes: string;
  /** Quotes whose strings may span lines. */
  multilineQuotes: string;
  /** True if brackets enclose members, false if only indentation does, as in Python. */
  hasBraces: boolean;
}

/** C-style comments and strings. */
export const C_STYLE: LexicalStyle = {
  lineComment: "//",
  hasBlockComments: true,
  quotes: "\"'",
  rawQuotes: "",
  multilineQuotes: "",
  hasBraces: true,
};

const OPENING = "([{<";
const CLOSING = ")]}>,;";
const SPACE = /\s/;
const WORD = /[\w$]+/y;
const CLOSING_BRACKETS = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
]);

function endOfString(text: string, start: number, style: LexicalStyle): number {
  const quote = text.charAt(start);
  const isRaw = style.rawQuotes.includes(quote);
  const isMultiline = style.multilineQuotes.includes(quote);
  for (let index = start + 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === "\\" && !isRaw) index++;
    else if (character === quote) return index + 1;
    else if (character === "\n" && !isMultiline) return index;
  }
  return text.length;
}

function endOfComment(text: string, start: number, style: LexicalStyle): number {
  if (text.startsWith(style.lineComment, start)) {
    const end = text.indexOf("\n", start);
    return end < 0 ? text.length : end;
  }
  if (!style.hasBlockComments || !text.startsWith("/*", start)) return start;
  const end = text.indexOf("*/", start + 2);
  return end < 0 ? text.length : end + 2;
}

function needsSpace(previous: string, next: string): boolean {
  return previous !== "" && !OPENING.includes(previous) && !CLOSING.includes(next);
}

function endOfWord(text: string, start: number): number {
  WORD.lastIndex = start;
  return WORD.test(text) ? WORD.lastIndex : start + 1;
}

/**
 * Compacts code to one line without comments, unnecessary spaces and trailing separators. Strings
 * stay unchanged.
 */
export function compactText(text: string, style: LexicalStyle): string {
  const pieces: string[] = [];
  let last = "";
  let isSpacePending = false;
  for (let index = 0; index < text.length;) {
    const character = text.charAt(index);
    const commentEnd =
      character === "/" || character === "#" ? endOfComment(text, index, style) : index;
    if (commentEnd > index || SPACE.test(character)) {
      isSpacePending = true;
      index = Math.max(commentEnd, index + 1);
      continue;
    }
    const end = style.quotes.includes(character)
      ? endOfString(text, index, style)
      : endOfWord(text, index);
    if (isSpacePending && needsSpace(last, character)) pieces.push(" ");
    const isTrailing =
      (last === "," && ")]}>".includes(character)) || (last === ";" && character === "}");
    if (isTrailing) pieces.pop();
    pieces.push(text.slice(index, end));
    last = text.charAt(end - 1);
    isSpacePending = false;
    index = end;
  }
  return pieces.join("");
}

/** True if every bracket and string is closed, so the text is complete. */
export function isBalanced(text: string, style: LexicalStyle): boolean {
  const open: string[] = [];
  for (let index = 0; index < text.length;) {
    const character = text.charAt(index);
    const isQuote = style.quotes.includes(character);
    const end = isQuote
      ? endOfString(text, index, style)
      : Math.max(index + 1, endOfComment(text, index, style));
    if (isQuote && (end === index + 1 || text.charAt(end - 1) !== character)) return false;
    const closing = end === index + 1 ? CLOSING_BRACKETS.get(character) : undefined;
    if (closing !== undefined) open.push(closing);
    else if (")]}".includes(character) && open.pop() !== character) return false;
    index = end;
  }
  return open.length === 0;
}
