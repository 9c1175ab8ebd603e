import { matchEnd, plain } from "./secret-characters.ts";

/** The extent of a value, its quotes left out. */
export interface ValueRange {
  start: number;
  end: number;
  isQuoted: boolean;
}

const opening = /(\\{0,7})(["'`])/y;

/** The value that begins at `at`: up to the closing quote, or as far as an unquoted value reaches. */
export function valueRange(text: string, at: number): ValueRange {
  opening.lastIndex = at;
  const match = opening.exec(text);
  if (match === null) return { start: at, end: bareEnd(text, at), isQuoted: false };
  const [whole, { length: escapes } = "", quote = ""] = match;
  const start = at + whole.length + (escapes === 0 && text.startsWith(quote.repeat(3), at) ? 2 : 0);
  return { start, end: quotedEnd(text, start, { escapes, quote }), isQuoted: true };
}

/** Up to the quote that closes the value, or to the end of the line where there is none. */
function quotedEnd(text: string, start: number, { escapes, quote }: { escapes: number; quote: string }): number {
  const quoteCode = quote.charCodeAt(0);
  let backslashes = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) {
      backslashes += 1;
      continue;
    }
    if (code === 0x0a || code === 0x0d) return at;
    // In a string inside a string each level doubles the backslashes and adds one.
    const isClosing = code === quoteCode && (backslashes < escapes || backslashes % (2 * escapes + 2) === escapes);
    const isDoubled = isClosing && escapes === 0 && at > start && text.charCodeAt(at + 1) === quoteCode;
    if (isClosing && !isDoubled) return at - Math.min(backslashes, escapes);
    if (isDoubled) at += 1;
    backslashes = 0;
  }
  return text.length;
}

const nextName = /[,;&][ \t]{0,4}["']?[A-Za-z_][\w .-]{0,40}["']?[ \t]{0,4}[=:]/y;

/** Up to white space, a quote, an escaped line break or the next pair; brackets that close at the end stay outside. */
function bareEnd(text: string, start: number): number {
  let end = plain.end(text, start);
  while (end < text.length && !endsBareValue(text, start, end)) end = plain.end(text, end + 1);
  while (end > start && ")]},;".includes(text.charAt(end - 1))) end -= 1;
  return end;
}

function endsBareValue(text: string, start: number, at: number): boolean {
  const char = text.charAt(at);
  const next = text.charAt(at + 1);
  if (char <= " " || "\"'`<>\u00a0".includes(char)) return true;
  if (char === "\\") return next === "" || "nrt\"'\\u".includes(next);
  // A call or an index: `getToken(`, `tokens[`.
  if ("([{".includes(char)) return /^[\w.$]+$/.test(text.slice(Math.max(start, at - 64), at));
  return ",;&".includes(char) && (next <= " " || "\"'\\".includes(next) || matchEnd(nextName, text, at) !== undefined);
}
