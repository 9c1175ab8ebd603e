import { addValue, createFrame, type Frame, frameValue } from "./frame.ts";
import { readString, readStrings, type RepairContext, startsString } from "./read-string.ts";
import { readWord } from "./read-word.ts";
import type { Repair, RepairKind } from "./repair.ts";
import { endsString, startsKey, type StringPlace } from "./string-end.ts";
import { isSpace, type TextView } from "./text-view.ts";

/** What a tolerant reading may spend. */
export interface ParseBudget {
  maxDepth: number;
  maxRepairs: number;
  /** Whether the time is over; asked every few thousand tokens. */
  isExpired: () => boolean;
}

/** How a tolerant reading ended. */
export type TolerantParse =
  | { status: "complete"; value: unknown; end: number; repairs: Repair[] }
  /** The text ended, or its code fence did, while brackets or a string were open. */
  | { status: "truncated" }
  | { status: "failed"; position: number; reason: string; isOverBudget: boolean };

interface Parser extends RepairContext {
  stack: Frame[];
  position: number;
  maxDepth: number;
}

type Step = TolerantParse | undefined;

const STEPS_BETWEEN_CHECKS = 4096;
const FUNCTION_CALL = /[\p{L}_$][\p{L}\p{N}_$.]{0,63}\s{0,8}\(/uy;
const NAME_START = /[\p{L}_$]/u;
const REGULAR_EXPRESSION = /\/(?:[^/\\\n]|\\.){1,512}\/[a-z]{0,8}(?=\s{0,8}[,}\])])/y;
const CLOSER_OF: Readonly<Record<Frame["kind"], string>> = { object: "}", array: "]", paren: ")" };

/** Reads one bracketed value that is nearly JSON. A loop without recursion, linear in the text; it never invents a missing end. */
export function parseTolerant(view: TextView, start: number, budget: ParseBudget): TolerantParse {
  const parser: Parser = { view, repairs: [], stack: [], position: start, ...budget };
  openFrame(parser);
  for (let steps = 1; ; steps += 1) {
    const result = step(parser);
    if (result !== undefined) return result;
    if (parser.repairs.length > budget.maxRepairs)
      return failed(parser, `It needs more than ${budget.maxRepairs} repairs`, true);
    if (steps % STEPS_BETWEEN_CHECKS === 0 && budget.isExpired())
      return failed(parser, "The time for repairs is over", true);
  }
}

function failed(parser: Parser, reason: string, isOverBudget = false): TolerantParse {
  return { status: "failed", position: parser.position, reason, isOverBudget };
}

function note(parser: Parser, kind: RepairKind, position: number = parser.position): void {
  parser.repairs.push({ kind, position });
}

function step(parser: Parser): Step {
  skipGap(parser);
  const { text } = parser.view;
  const frame = parser.stack.at(-1);
  const character = text[parser.position];
  if (frame === undefined || character === undefined || text.startsWith("```", parser.position))
    return { status: "truncated" };
  if (character === "," || (character === ";" && frame.awaitsComma))
    return readComma(parser, frame);
  if ("}])".includes(character)) return closeFrame(parser, frame, character);
  if (skipEllipsis(parser)) return undefined;
  if (frame.awaitsColon) return readColon(parser, frame);
  if (character === ":" && frame.kind === "array" && typeof frame.items.at(-1) === "string") {
    openImplicitObject(parser, frame);
    return undefined;
  }
  if (frame.awaitsComma) {
    note(parser, "missing_comma");
    frame.awaitsComma = false;
  }
  if (frame.kind !== "object" || frame.key !== undefined) return readValue(parser, frame);
  return "{[".includes(character)
    ? readMisplaced(parser, frame, character)
    : readKey(parser, frame);
}

function skipGap(parser: Parser): void {
  const { view } = parser;
  for (;;) {
    const end = view.skipSpace(parser.position);
    noteForeignSpace(parser, end);
    parser.position = end;
    const commentEnd = view.skipComment(end);
    if (commentEnd === end || startsRegularExpression(view.text, end)) return;
    note(parser, "comment");
    parser.position = commentEnd;
  }
}

// One repair for a run of white space, however much of it JSON does not know.
function noteForeignSpace(parser: Parser, end: number): void {
  for (let at = parser.position; at < end; at += 1)
    if (!isJsonSpace(parser.view.text[at])) {
      note(parser, "whitespace", at);
      return;
    }
}

function isJsonSpace(character: string | undefined): boolean {
  return character === " " || character === "\n" || character === "\t" || character === "\r";
}

function startsRegularExpression(text: string, position: number): boolean {
  return text[position] === "/" && text[position + 1] !== "*" && text[position + 1] !== "/";
}

function skipEllipsis(parser: Parser): boolean {
  const { text } = parser.view;
  const length = text.startsWith("...", parser.position)
    ? 3
    : text[parser.position] === "…"
      ? 1
      : 0;
  if (length === 0) return false;
  note(parser, "ellipsis");
  parser.position += length;
  const next = parser.view.skipGap(parser.position);
  if (text[next] === ",") {
    skipGap(parser);
    if (text[parser.position] === ",") parser.position += 1;
  }
  return true;
}

function readComma(parser: Parser, frame: Frame): Step {
  if (frame.kind === "object" && frame.key !== undefined) {
    if (!frame.awaitsColon) {
      note(parser, "missing_value");
      addValue(frame, null);
    } else if (!becomeSet(parser, frame)) return failed(parser, "A key has no value");
  } else if (!frame.awaitsComma) note(parser, "extra_comma");
  frame.awaitsComma = false;
  parser.position += 1;
  return undefined;
}

// `{"a", "b"}` is a Python set, and becomes a list.
function becomeSet(parser: Parser, frame: Frame): boolean {
  if (frame.isTouched || frame.key === undefined) return false;
  note(parser, "set", frame.position);
  const isString = startsString(parser.view.text, frame.keyPosition);
  const first = isString
    ? frame.key
    : readWord(parser, frame.keyPosition, placeOf(parser, "array")).value;
  frame.kind = "array";
  frame.awaitsColon = false;
  addValue(frame, first);
  frame.key = undefined;
  return true;
}

function readColon(parser: Parser, frame: Frame): Step {
  const { text } = parser.view;
  const character = text[parser.position];
  frame.awaitsColon = false;
  if (character === ":") parser.position += 1;
  else if (character === "=") {
    note(parser, "missing_colon");
    parser.position += text[parser.position + 1] === ">" ? 2 : 1;
  } else note(parser, "missing_colon");
  return undefined;
}

// A bracket where a key belongs: a list that closed too early goes on, `"a": [1], [2]`, or the object never closed.
function readMisplaced(parser: Parser, frame: Frame, bracket: string): Step {
  const list = frame.lastKey === undefined ? undefined : frame.fields[frame.lastKey];
  if (bracket === "[" && Array.isArray(list)) {
    note(parser, "wrong_closer");
    frame.key = frame.lastKey;
    return openFrame(parser, list);
  }
  if (bracket === "[" || !frame.isTouched || parser.stack.at(-2)?.kind !== "array")
    return failed(parser, "A key is missing");
  note(parser, "missing_closer");
  return finishFrame(parser, frame, false);
}

function readKey(parser: Parser, frame: Frame): Step {
  const { text } = parser.view;
  const start = parser.position;
  frame.keyPosition = start;
  if (startsString(text, start)) {
    const key = readString(parser, start, placeOf(parser, "key"));
    if (key === undefined) return { status: "truncated" };
    frame.key = key.value;
    parser.position = key.end;
  } else {
    const { value, end } = readWord(parser, start, placeOf(parser, "key"));
    if (typeof value !== "string" || value === "") return failed(parser, "A key is missing");
    if (text[end] === '"' && value.length < end - start && startsKey(parser.view, end)) {
      note(parser, "stray_text");
      parser.position = end;
      return undefined;
    }
    note(parser, "unquoted_key");
    frame.key = value.endsWith("\\") ? value.slice(0, -1) : value;
    const isHalfQuoted = text[end] === '"' && text[parser.view.skipGap(end + 1)] === ":";
    parser.position = isHalfQuoted ? end + 1 : end;
    if (end === text.length) return { status: "truncated" };
  }
  frame.awaitsColon = true;
  return undefined;
}

function readValue(parser: Parser, frame: Frame): Step {
  const { text } = parser.view;
  const start = parser.position;
  const character = text[start] ?? "";
  if ("{[(".includes(character)) return openFrame(parser);
  if (startsString(text, start)) {
    const read = readStrings(parser, start, placeOf(parser, frame.kind));
    if (read === undefined) return { status: "truncated" };
    addValue(frame, read.value);
    parser.position = read.end;
    return undefined;
  }
  const callEnd = NAME_START.test(character) ? matchEnd(FUNCTION_CALL, text, start) : start;
  if (callEnd > start) {
    note(parser, "function_call");
    parser.position = callEnd - 1;
    return openFrame(parser);
  }
  const patternEnd = character === "/" ? matchEnd(REGULAR_EXPRESSION, text, start) : start;
  if (patternEnd > start) {
    note(parser, "unquoted_string");
    addValue(frame, text.slice(start, patternEnd));
    parser.position = patternEnd;
    return undefined;
  }
  const word = readWord(parser, start, placeOf(parser, frame.kind));
  if (word.value === "") return failed(parser, "A value is missing");
  if (word.end === text.length) return { status: "truncated" };
  const isHalfQuoted = frame.kind === "object" && endsHalfQuoted(parser, word.end);
  if (isHalfQuoted) note(parser, "missing_quote", start);
  addValue(frame, isHalfQuoted ? text.slice(start, word.end) : word.value);
  parser.position = isHalfQuoted ? word.end + 1 : word.end;
  return undefined;
}

// `"a": b", "c": 1`: only the first mark of the string was lost.
function endsHalfQuoted(parser: Parser, end: number): boolean {
  const { view } = parser;
  if (view.text[end] !== '"' || isSpace(view.text.charCodeAt(end - 1))) return false;
  return endsString({
    view,
    position: end,
    mark: '"',
    place: placeOf(parser, "object"),
    isInsideQuote: false,
  });
}

function openFrame(parser: Parser, items?: unknown[]): Step {
  const bracket = parser.view.text[parser.position] ?? "";
  if (parser.stack.length >= parser.maxDepth)
    return failed(parser, `It is nested deeper than ${parser.maxDepth}`, true);
  if (bracket === "(") note(parser, "tuple");
  const frame = createFrame(bracket, parser.position);
  if (items !== undefined) frame.items = items;
  parser.stack.push(frame);
  parser.position += 1;
  return undefined;
}

function openImplicitObject(parser: Parser, frame: Frame): void {
  note(parser, "missing_braces");
  const key = frame.items.pop();
  const object = createFrame("{", parser.position);
  object.isImplicit = true;
  object.key = typeof key === "string" ? key : "";
  parser.stack.push(object);
  parser.position += 1;
}

function closeFrame(parser: Parser, frame: Frame, closer: string): Step {
  if (frame.kind === "object" && frame.key !== undefined) {
    if (!frame.awaitsColon) {
      note(parser, "missing_value");
      addValue(frame, null);
    } else if (closer !== "}" || !becomeSet(parser, frame))
      return failed(parser, "A key has no value");
    if (frame.kind !== "object") return finishFrame(parser, frame, true);
  }
  if (frame.isTouched && !frame.awaitsComma) note(parser, "extra_comma");
  const isSetClosed =
    closer === "}" && frame.kind === "array" && parser.view.text[frame.position] === "{";
  if (CLOSER_OF[frame.kind] === closer || isSetClosed) return finishFrame(parser, frame, true);
  if (isCloserLost(parser, closer) || frame.isImplicit) {
    if (!frame.isImplicit) note(parser, "missing_closer");
    return finishFrame(parser, frame, false);
  }
  note(parser, "wrong_closer");
  return finishFrame(parser, frame, true);
}

// The closer fits the bracket outside: this one's own was lost, unless the text goes on as if it were only mistyped.
function isCloserLost({ view, stack, position }: Parser, closer: string): boolean {
  const outer = stack.at(-2);
  if (outer === undefined || CLOSER_OF[outer.kind] !== closer) return false;
  const next = view.skipGap(position + 1);
  const isAtEnd = next >= view.text.length;
  return stack.length > 2 || isAtEnd || !",".includes(view.text[next] ?? "");
}

function finishFrame(parser: Parser, frame: Frame, isCloserRead: boolean): Step {
  parser.stack.pop();
  if (isCloserRead) parser.position += 1;
  const value = frameValue(frame);
  const outer = parser.stack.at(-1);
  if (outer === undefined)
    return { status: "complete", value, end: parser.position, repairs: parser.repairs };
  addValue(outer, value);
  return undefined;
}

function placeOf(parser: Parser, within: StringPlace["within"]): StringPlace {
  return { within, depth: parser.stack.length };
}

function matchEnd(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : position;
}
