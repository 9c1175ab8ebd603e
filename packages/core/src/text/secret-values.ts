import { matchEnd } from "./secret-source.ts";

/** The extent of a value without its quotes. */
export interface ValueRange {
  start: number;
  end: number;
  isQuoted: boolean;
}

/**
 * Finds the value that begins at `at`: up to the closing quote, or to the end of an unquoted value.
 */
export function valueRange(text: string, at: number): ValueRange {
  let quoteAt = at;
  while (quoteAt < at + 7 && text[quoteAt] === "\\") quoteAt += 1;
  const quote = text.charAt(quoteAt);
  if (quote !== '"' && quote !== "'" && quote !== "`")
    return { start: at, end: bareEnd(text, at), isQuoted: false };
  const escapes = quoteAt - at;
  const isTriple = escapes === 0 && text[at + 1] === quote && text[at + 2] === quote;
  const start = quoteAt + (isTriple ? 3 : 1);
  return { start, end: quotedEnd(text, start, { escapes, quote }), isQuoted: true };
}

const plainInQuotes = /[^\\"'`\r\n]*/y;
const longestUnclosed = 200;
const longestQuoted = 16_384;
const word = /[^\s\\"'`]*/y;

/**
 * Finds the closing quote. If there is none nearby, the value ends after a phrase and the rest of
 * its last word, so that later text stays.
 */
function quotedEnd(
  text: string,
  start: number,
  { escapes, quote }: { escapes: number; quote: string },
): number {
  for (let at = start; at < text.length; at += 1) {
    const run = matchEnd(plainInQuotes, text, at) ?? at;
    for (at = run; text[at] === "\\";) at += 1;
    const backslashes = at - run;
    const char = text[at];
    if (char === undefined || char === "\n" || char === "\r") return unclosedEnd(text, start, at);
    // In nested strings, each level doubles the backslashes and adds one.
    const isClosing =
      char === quote && (backslashes < escapes || backslashes % (2 * escapes + 2) === escapes);
    const isDoubled = isClosing && escapes === 0 && at > start && text[at + 1] === quote;
    if (at - start > longestQuoted) return unclosedEnd(text, start, at);
    if (isClosing && !isDoubled) return at - Math.min(backslashes, escapes);
    if (isDoubled) at += 1;
  }
  return unclosedEnd(text, start, text.length);
}

function unclosedEnd(text: string, start: number, lineEnd: number): number {
  if (lineEnd <= start + longestUnclosed) return lineEnd;
  const end = matchEnd(word, text, start + longestUnclosed) ?? start + longestUnclosed;
  return Math.min(lineEnd, end, start + longestQuoted);
}

const plain = /[\w.~%+/=!@#$^*?:|-]*/y;
const nextName = /[,;&][ \t]{0,4}["']?[A-Za-z_][\w .-]{0,40}["']?[ \t]{0,4}[=:]/y;

/**
 * Finds the end of an unquoted value: white space, a quote, an escaped line break or the next pair.
 * Closing brackets at the end are left out.
 */
function bareEnd(text: string, start: number): number {
  let end = matchEnd(plain, text, start) ?? start;
  while (end < text.length && !endsBareValue(text, start, end))
    end = matchEnd(plain, text, end + 1) ?? end + 1;
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
  return (
    ",;&".includes(char) &&
    (next <= " " || "\"'\\".includes(next) || matchEnd(nextName, text, at) !== undefined)
  );
}
