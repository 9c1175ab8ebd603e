import {
  COST,
  type Grammar,
  pushPart,
  pushText,
  type Reading,
  repaired,
  UNESCAPED_QUOTES,
  UNQUOTED_KEYS,
} from "./reading.ts";
import { closes, isQuote, punctuationAt } from "./marks.ts";
import { WINDOWS_PATH } from "./decode-string.ts";
import { classifyWord, isWholeWord } from "./words.ts";
import { followsString, startsBareKey } from "./follows-string.ts";
import { isSpace, type TextView } from "./text-view.ts";

const LETTER = /[\p{L}\p{N}]/u;
const MAX_KEY = 256;
const KEY = /["'＂`\p{Pi}\p{Pf}„‚][\p{L}\p{N}_$ -]{1,64}["'＂`\p{Pi}\p{Pf}]\s{0,64}[:：]/uy;
const NEXT_KEY = new RegExp(`(?<=[,\\n]\\s{0,64})${KEY.source}`, "uy");
const AFTER_COMMA = /(?<=,(?:[^\S\n]{0,64}\n\s{0,64})?)/y;
const COMMA_AT_LINE_END = /,\s{0,64}\n/y;
const MAX_GAP = 256;
/** What a key with inner quotes cannot contain, since it would swallow other fields. */
export const STRUCTURE: RegExp = /[:,{}[\]\n]/;
const BETWEEN_VALUES = /^\s*(?:[\]}][\]}\s]*(?:,|(?=[[{]))|[,:=]\s*(?=[[{]))[[{\s]*$/;
/** Numbers and literals, with the delimiters around them between fields or items. */
const SCALARS =
  /^(?=[^\S\n]*[,:\]}\n])(?:[\s,:[\]{}]+(?:[-+]?\d[\w.+-]*|true|false|null))+[\s,:[\]{}]*[,:[{\n][^\S\n]*$/;
/** What separates a value from the next one if keys have no quotes. */
const BARE_MEMBER =
  /^[\s,\]}]*,\s*(?:[\p{L}_$][\p{L}\p{N}_$-]*\s*:[\s[{]*(?:(?:-?\d[\w.]*|true|false|null)[\s\]}]*,\s*)?)+$/u;
const THOUSANDS = /^[+-]?\d{1,3}(?:,\d{3})*$/;
const GROUP = /,\d{3}(?![\d.])/y;

/** Scans a string up to the next quote that may end it, and reads that quote both ways. */
export function scanString(grammar: Grammar, from: Reading): void {
  const { view, push } = grammar;
  const { text } = view;
  const { isKey, frame } = from;
  const mark = from.mark.charAt(0);
  const isDoubled = from.mark.length > 1;
  let reading = from;
  for (let at = from.position; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) {
      at += 1;
      // The backslash may be a path's last character, as in `"C:\dir\", "next"`.
      if (text[at] === mark && followsString(view, at + 1, isKey ? "key" : frame.kind) === true) {
        const isPath = WINDOWS_PATH.test(text.slice(from.start, from.start + 4));
        const cost = isPath ? COST.notation : COST.missingQuote;
        pushText(push, { ...reading, cost: reading.cost + cost }, at, at + 1);
      }
      continue;
    }
    if (isLetterOrDigit(code)) continue;
    const character = text.charAt(at);
    const fit = closes(mark, character);
    if (fit !== undefined) {
      if (reading.inner % 2 === 1 && passesStructure(text, at, reading)) return;
      const inside = resumed(view, reading, at);
      const isMiddle = inside !== undefined && !isKey && isMidText(view, reading, at);
      const end = isDoubled ? (text[at + 1] === character ? at + 2 : -1) : at + 1;
      // A quote of the same kind that is not the pair closes it at extra cost, as in `“a"`.
      const last = fit === "pair" ? reading : { ...reading, cost: reading.cost + 2 };
      if (end > 0 && !isMiddle) pushText(push, last, at, end);
      if (inside !== undefined) push(inside);
      return;
    }
    if (code < 0x20) {
      if (code === 0x0a && text.startsWith("\n```", at)) {
        push({ ...reading, mode: "cut", cost: reading.cost + 1, position: text.length });
        reading = { ...reading, cost: reading.cost + COST.fenceInString };
      } else if (reading === from && reading.inner < 2)
        reading = { ...reading, cost: reading.cost + 1 };
    }
    if (isKey) {
      if (reading.inner > 0 && STRUCTURE.test(character)) return;
      if (character === ":" && at - from.start < MAX_KEY) loseQuote(grammar, reading, at);
    } else if (code === 0x0a || character === "," || (character === "]" && frame.kind !== "object"))
      loseQuote(grammar, reading, at);
  }
  cutOff(grammar, reading);
}

// If the text ends in a string with skipped quotes, or with a bracket, it was more likely misread than truncated.
function cutOff({ view, push }: Grammar, reading: Reading): void {
  const isClosed = /[\]}]/.test(view.text.trimEnd().slice(-1));
  const cost = reading.cost + (reading.inner > 0 ? COST.strayCloser : isClosed ? 1 : 0);
  push({ ...reading, mode: "cut", cost, position: view.text.length });
}

/** True before a word that starts no field, in a text that does not escape its quotes. */
function isMidText({ text, skipSpace }: TextView, { styles }: Reading, quote: number): boolean {
  if ((styles & UNESCAPED_QUOTES) === 0) return false;
  const next = skipSpace(quote + 1);
  return LETTER.test(text.charAt(next)) && !startsBareKey(text, next);
}

/**
 * Continues a string after a quote that belongs to its content. If it looks like the end of a string or the start of
 * the next, costs more. Returns undefined if it cannot belong to a key.
 */
function resumed(view: TextView, reading: Reading, at: number): Reading | undefined {
  const { text } = view;
  const { isKey, frame, inner } = reading;
  const isApostrophe =
    reading.mark !== '"' && LETTER.test(text.charAt(at - 1)) && LETTER.test(text.charAt(at + 1));
  const isClosing = inner % 2 === 1;
  const looksStructural =
    followsString(view, at + 1, isKey ? "key" : frame.kind) !== false ||
    matchesAt(AFTER_COMMA, text, at) ||
    matchesAt(COMMA_AT_LINE_END, text, at + 1) ||
    (frame.kind === "array" &&
      (/^\s"/.test(text.slice(at + 1, at + 3)) ||
        (inner === 0 && matchesAt(KEY, text, reading.start - 1))));
  if (
    isKey &&
    (looksStructural || STRUCTURE.test(text.slice(Math.max(reading.start, at - MAX_KEY), at)))
  )
    return undefined;
  // `, "b": ` in a string, or at the start of a line, is likelier the next field.
  const looksLikeKey = !isKey && frame.kind === "object" && matchesAt(NEXT_KEY, text, at);
  const isDoubtfulKey = isKey && isQuote(text.charAt(view.skipSpace(at + 1)));
  // The first inner quotes show that the text does not escape them. Further ones add no cost.
  const usual = inner > 1 ? 0 : isClosing ? 1 : 3;
  const structural = looksLikeKey ? 5 : looksStructural ? (isClosing ? 2 : 4) : 0;
  const cost = isApostrophe ? 0 : usual + structural + (isDoubtfulKey ? 5 : 0);
  return {
    ...reading,
    cost: reading.cost + cost,
    inner: isApostrophe ? inner : inner + 1,
    position: at + 1,
    styles: isApostrophe ? reading.styles : reading.styles | UNESCAPED_QUOTES,
  };
}

/**
 * True if the text between the string's last quote and this one is what separates values, as in `x"], "y` and `x":
 * {"y`. A pair of quotes inside text encloses words instead.
 */
function passesStructure(text: string, quote: number, { isKey, styles }: Reading): boolean {
  const last = text.lastIndexOf(text.charAt(quote), quote - 1);
  const gap = text
    .slice(Math.max(last + 1, quote - MAX_GAP), quote)
    .replaceAll(/[\u3000-\uffff]/g, (character) => punctuationAt(character, 0));
  if (isKey) return /^[\s,:]+$/.test(gap);
  const isBetweenWords =
    /^[,:]\s?$/.test(gap) &&
    [quote - gap.length - 2, quote + 1].every((at) => LETTER.test(text.charAt(at)));
  if (isBetweenWords || BETWEEN_VALUES.test(gap) || SCALARS.test(gap)) return true;
  if (BARE_MEMBER.test(gap) && (gap.includes("\n") || (styles & UNQUOTED_KEYS) !== 0)) return true;
  return /^[^:]*[,\]}]/.test(gap) && matchesAt(KEY, text, quote);
}

function matchesAt(pattern: RegExp, text: string, position: number): boolean {
  pattern.lastIndex = position;
  return pattern.test(text);
}

// Ends a string with a missing closing quote, if the next token can follow a string.
function loseQuote({ view, push }: Grammar, reading: Reading, at: number): void {
  const { text } = view;
  const next = view.skipGap(at + 1);
  const character = text.charAt(next);
  const isFollowed = reading.isKey
    ? /["'\d[{tfn-]/.test(character)
    : character === reading.mark.charAt(0);
  // An earlier unpaired quote is the one that ends the string.
  if (!isFollowed || reading.inner % 2 === 1) return;
  const end = trimmedEnd(text, reading.start, at);
  if (end === reading.start) return;
  const lost = repaired(reading, "missing_quote", COST.missingQuote, end);
  pushText(push, lost, end, end);
}

/** Scans unquoted text to its possible ends, and reads each both ways. */
export function scanWord(grammar: Grammar, reading: Reading): void {
  const { view, push } = grammar;
  const { text } = view;
  const { start, frame, position } = reading;
  const within = frame.kind;
  let braces = 0;
  for (let at = position; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isLetterOrDigit(code)) continue;
    const character = punctuationAt(text, at);
    if (character === "\\" && isQuote(text.charAt(at + 1))) {
      at += 1;
      continue;
    }
    const isEscapedGap = character === "\\" && /[nrt]/.test(text.charAt(at + 1));
    if (
      (character === "[" || character === ";" || isEscapedGap) &&
      at > start &&
      braces === 0 &&
      isWholeWord(text, start, at)
    ) {
      endWord(grammar, reading, at);
      return;
    }
    // The prefix letter of a Python string with other escapes is not a word.
    if (character === "'" && /^[rR]$/.test(text.slice(start, at))) return;
    if (character === "{" && at > start && !isWholeWord(text, start, at)) braces += 1;
    else if (character === "}" && braces > 0) braces -= 1;
    else if (braces > 0 && character !== "\n") continue;
    else if ("}]{".includes(character) || (character === ")" && within === "paren")) {
      endWord(grammar, reading, at);
      return;
    } else if (character === "," || character === "\n" || isQuote(character)) {
      endWord(grammar, reading, at);
      extendWord(grammar, reading, at);
      return;
    } else if (isSpace(character) && isWholeWord(text, start, at)) {
      endWord(grammar, reading, at);
      push({ ...reading, position: at + 1 });
      return;
    } else if (
      text.startsWith("```", at) ||
      (character === "/" &&
        (text[at + 1] === "*" || (text[at + 1] === "/" && isSpace(text.charAt(at - 1))))) ||
      (character === "#" && isSpace(text.charAt(at - 1)))
    ) {
      endWord(grammar, reading, at);
      return;
    }
  }
  cutOff(grammar, reading);
}

function endWord({ view, push, keepsDigits }: Grammar, reading: Reading, at: number): void {
  const { text } = view;
  const { start } = reading;
  const raw = text.slice(start, trimmedEnd(text, start, at));
  const word = raw.includes("&quot;") ? undefined : classifyWord(raw);
  if (word === undefined) return;
  const { kind, cost } = word;
  const value = keepsDigits && typeof word.value === "number" ? raw : word.value;
  const read = kind === undefined ? reading : repaired(reading, kind, cost, start);
  const part = { type: "value" as const, value, start };
  pushPart(push, { ...read, position: at, isKey: false }, part);
  // Only the opening quote is missing in `"a": b", "c": 1`.
  if (text[at] === '"' && !isSpace(text.charAt(at - 1))) {
    const half = repaired(
      repaired(reading, "missing_quote", COST.missingStart, start),
      "unquoted_string",
      COST.bareString,
      start,
    );
    const whole = { type: "text" as const, start, end: at, mark: '"', before: undefined };
    pushPart(push, { ...half, position: at + 1, isKey: false }, whole);
  }
}

function extendWord({ view, push }: Grammar, reading: Reading, at: number): void {
  const { text } = view;
  const character: string = text.charAt(at);
  GROUP.lastIndex = at;
  const next = view.skipGap(at + 1);
  const isBeforeEntry = character === "," && /["'{[]/.test(text.charAt(next));
  if (isBeforeEntry) return;
  const startsKey = character !== "'" && startsBareKey(text, next);
  const isGroup =
    character === "," && GROUP.test(text) && THOUSANDS.test(text.slice(reading.start, at));
  if (!"',’`\n，、".includes(character)) return;
  // After a complete number, a comma ends it.
  if (character === "," && !isGroup && isWholeWord(text, reading.start, at)) return;
  const cost = isGroup || character === "\n" ? 2 : character === "," ? 3 : 1;
  const inner = reading.inner + (character === "," && !isGroup ? 1 : 0);
  push({ ...reading, cost: reading.cost + cost + (startsKey ? 12 : 0), inner, position: at + 1 });
}

/** Reads an unquoted key up to its colon. */
export function scanKeyWord({ view, push }: Grammar, reading: Reading): void {
  const { text } = view;
  const { start } = reading;
  let at = start;
  while (
    at < text.length &&
    at - start < MAX_KEY &&
    !':,{}[]"\n='.includes(punctuationAt(text, at))
  )
    at += 1;
  if (at === text.length) {
    push({ ...reading, mode: "cut", position: at });
    return;
  }
  const key = text.slice(start, trimmedEnd(text, start, at));
  if (key === "" || key.includes("&quot;")) return;
  const isHalfQuoted = text[at] === '"' && punctuationAt(text, view.skipGap(at + 1)) === ":";
  const isPlain = /^[\p{L}\p{N}_$.-]+$/u.test(key);
  const bare = isPlain ? COST.bareKey : /[&?%/]/.test(key) ? COST.strangeKey : COST.oddKey;
  const cost = bare + (isHalfQuoted ? COST.missingStart : 0);
  const read = repaired({ ...reading, isKey: true }, "unquoted_key", cost, start);
  const value = key.endsWith("\\") ? key.slice(0, -1) : key;
  const part = { type: "value" as const, value, start };
  pushPart(push, { ...read, position: isHalfQuoted ? at + 1 : at }, part);
}

/** Returns the end of the text in a range, excluding trailing white space. */
function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && isSpace(text.charAt(at - 1))) at -= 1;
  return at;
}

function isLetterOrDigit(code: number): boolean {
  return ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) || (code >= 0x30 && code <= 0x39);
}
