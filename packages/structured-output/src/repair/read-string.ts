import { decodeString } from "./decode-string.ts";
import { closingMarks, isQuote } from "./quote-marks.ts";
import type { Repair } from "./repair.ts";
import { endsString, type StringPlace } from "./string-end.ts";
import { isSpace, type TextView } from "./text-view.ts";

/** A string as it stands in the text. */
export interface ReadString {
  value: string;
  /** Where reading goes on. */
  end: number;
}

/** A view of the text and the list that repairs are added to. */
export interface RepairContext {
  view: TextView;
  repairs: Repair[];
  /** Beyond it the value is refused, so that nothing more need be decoded. */
  maxRepairs: number;
}

interface Extent {
  start: number;
  contentEnd: number;
  end: number;
}

/** Whether a string begins there, in quotation marks of any kind or in escaped ones. */
export function startsString(text: string, position: number): boolean {
  return isQuote(text[position]) || (text[position] === "\\" && text[position + 1] === '"');
}

/** Reads a string, and those that are joined to it by `+`, as one. */
export function readStrings(
  context: RepairContext,
  start: number,
  place: StringPlace,
): ReadString | undefined {
  const { view, repairs } = context;
  let joined = readString(context, start, place);
  while (joined !== undefined) {
    const plus = view.skipGap(joined.end);
    const next = view.skipGap(plus + 1);
    const isJoined = view.text[plus] === "+" && startsString(view.text, next);
    if (!isJoined || repairs.length > context.maxRepairs) return joined;
    repairs.push({ kind: "concatenation", position: plus });
    const more = readString(context, next, place);
    joined = more && { value: joined.value + more.value, end: more.end };
  }
  return undefined;
}

/** Reads a string whose opening mark is at `start`; `undefined` if the text ends before the string does. */
export function readString(
  context: RepairContext,
  start: number,
  place: StringPlace,
): ReadString | undefined {
  const { view, repairs } = context;
  const { text } = view;
  const escaped = text[start] === "\\";
  if (escaped) return readEscapedString(context, start);
  const mark = text[start] ?? "";
  const triple = mark.repeat(3);
  const isTriple =
    text.startsWith(triple, start) && view.findQuote(triple, start + 3) < text.length;
  if (mark !== '"' || isTriple) repairs.push({ kind: "quote_style", position: start });
  const extent = isTriple ? tripleExtent(view, start, triple) : findExtent(context, start, place);
  if (extent === undefined) return undefined;
  const { start: contentStart, contentEnd } = extent;
  const value = decodeString(text.slice(contentStart, contentEnd), {
    mark,
    offset: contentStart,
    repairs,
    maxRepairs: context.maxRepairs,
  });
  return { value, end: extent.end };
}

function tripleExtent(view: TextView, start: number, triple: string): Extent {
  const contentEnd = view.findQuote(triple, start + 3);
  return { start: start + 3, contentEnd, end: contentEnd + 3 };
}

// Whole texts are sometimes escaped once too often: `{\"a\": \"b\"}`. Inner quotes then carry more backslashes.
function readEscapedString(
  { view, repairs }: RepairContext,
  start: number,
): ReadString | undefined {
  const { text } = view;
  let at = start + 2;
  for (;;) {
    const slash = text.indexOf("\\", at);
    if (slash < 0) return undefined;
    let end = slash;
    while (text[end] === "\\") end += 1;
    at = end + 1;
    if (text[end] !== '"' || end !== slash + 1) continue;
    repairs.push({ kind: "escaped_text", position: start });
    const raw = text.slice(start + 2, slash).replaceAll("\\\\", "\\");
    return {
      value: decodeString(raw, { mark: '"', offset: start + 2, repairs: [], maxRepairs: Infinity }),
      end: at,
    };
  }
}

function findExtent(context: RepairContext, start: number, place: StringPlace): Extent | undefined {
  const { view, repairs } = context;
  const { text } = view;
  const mark = text[start] ?? "";
  const marks = closingMarks(mark) ?? mark;
  const isDoubled = isDoubledMark(view, start);
  const contentStart = isDoubled ? start + 2 : start + 1;
  if (isDoubled) repairs.push({ kind: "quote_style", position: start });
  let isInsideQuote = false;
  let lost: { contentEnd: number; end: number } | undefined;
  for (
    let at = nextStop(text, contentStart, marks);
    at < text.length;
    at = nextStop(text, at + 1, marks)
  ) {
    const character = text[at] ?? "";
    if (character === "\\") at += 1;
    else {
      const last = isDoubled && text[at + 1] === character ? at + 1 : at;
      const isEnd = endsString({ view, position: last, mark, place, isInsideQuote });
      if (
        lost !== undefined &&
        (place.within === "array" ? isEnd : text[view.skipGap(at + 1)] === ":")
      ) {
        repairs.push({ kind: "missing_quote", position: lost.contentEnd });
        return { start: contentStart, ...lost };
      }
      if (isEnd) return { start: contentStart, contentEnd: at, end: last + 1 };
      const keyEnd = place.within === "key" ? lostKeyEnd(text, contentStart, at) : -1;
      if (keyEnd >= 0) {
        repairs.push({ kind: "missing_quote", position: keyEnd });
        return { start: contentStart, contentEnd: keyEnd, end: keyEnd };
      }
      lost = place.within === "key" ? undefined : lostEnd(context, at, { contentStart, place });
      isInsideQuote = opensQuote(text, at);
    }
  }
  return undefined;
}

// The next backslash or mark.
function nextStop(text: string, from: number, marks: string): number {
  const first = marks.charCodeAt(0);
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5c || code === first) return at;
    if (marks.length > 1 && marks.includes(text.charAt(at))) return at;
  }
  return text.length;
}

// `""key""`: the mark is written twice, and what follows is neither a delimiter nor a gap.
function isDoubledMark({ text }: TextView, start: number): boolean {
  const mark = text[start];
  const after = text[start + 2] ?? "";
  return text[start + 1] === mark && /[\p{L}\p{N}_$<(#@/-]/u.test(after);
}

// An unescaped quote behind `,` or a line break may open the next string, the end mark of this one being lost.
function lostEnd(
  { view }: RepairContext,
  quote: number,
  { contentStart, place }: { contentStart: number; place: StringPlace },
): { contentEnd: number; end: number } | undefined {
  const { text } = view;
  let last = quote - 1;
  let hasLineBreak = false;
  for (
    let steps = 0;
    last >= contentStart && steps < MAX_GAP && isSpace(text.charCodeAt(last));
    steps += 1
  ) {
    hasLineBreak ||= text[last] === "\n";
    last -= 1;
  }
  if (last < contentStart) return undefined;
  if (text[last] === ",") {
    const isListItem = hasLineBreak || last === quote - 1;
    return place.within === "array" && !isListItem ? undefined : { contentEnd: last, end: last };
  }
  return hasLineBreak && place.within === "object"
    ? { contentEnd: last + 1, end: last + 1 }
    : undefined;
}

const MAX_GAP = 256;
const MAX_LOST_KEY = 128;
const LOST_KEY = /^([\p{L}_$][\p{L}\p{N}_$ -]{0,63}):\s*(?:(?:true|false|null|-?[\d.]+)\s*,\s*)?$/u;

// `"a: "b"` and `"a: 1, "b": 2`: a key whose end mark is lost, up to the colon; -1 if it is none.
function lostKeyEnd(text: string, start: number, quote: number): number {
  if (quote - start > MAX_LOST_KEY) return -1;
  const key = LOST_KEY.exec(text.slice(start, quote))?.[1];
  return key === undefined ? -1 : start + key.length;
}

function opensQuote(text: string, position: number): boolean {
  const before = text[position - 1] ?? "";
  const after = text[position + 1] ?? " ";
  return (
    (isSpace(before.charCodeAt(0)) || "([{>=".includes(before)) && !isSpace(after.charCodeAt(0))
  );
}
