import { type Frame, type Part, type RepairLink, withPart } from "./parts.ts";
import type { RepairKind } from "./repair.ts";
import type { TextView } from "./text-view.ts";

/** What a reading expects next. `done` and `cut` are its ends: the value is complete, or the text ended before. */
export type Mode =
  | "value"
  | "first"
  | "key"
  | "firstKey"
  | "colon"
  | "after"
  | "string"
  | "resume"
  | "word"
  | "keyWord"
  | "done"
  | "cut";

/** One reading of the text as far as `position`; readings are never changed, only followed by others. */
export interface Reading {
  mode: Mode;
  position: number;
  /** What its repairs cost. */
  cost: number;
  frame: Frame | undefined;
  links: RepairLink | undefined;
  /** The kinds of repair that are this text's style, one bit each: once paid for, more of them cost a third. */
  styles: number;
  /** Where a string's content, or a word, starts. */
  start: number;
  /** The mark that opened the string; doubled for `""text""`. */
  mark: string;
  /** Unescaped marks in the string so far. */
  inner: number;
  /** The string is a key. */
  isKey: boolean;
  /** The string that this one continues after a `+`. */
  before: Part | undefined;
  /** The value, once it is complete. */
  root: Part | undefined;
}

/** Where the next readings go, and the text that they read. */
export interface Grammar {
  view: TextView;
  maxDepth: number;
  /** Numbers are given as they are written, as texts. */
  keepsDigits: boolean;
  /** Set when a bracket was nested deeper than the limit. */
  isTooDeep: boolean;
  push: (reading: Reading) => void;
  /** An equal number for frames under the same kinds of brackets. */
  shapeOf: (parent: number, kind: Frame["kind"]) => number;
}

/**
 * What each repair costs. Only sums are compared: a repair that changes no value is cheap, one that gives up a mark which
 * the text has is dear, and every one costs something, so that valid JSON is always read as it stands.
 */
export const COST = {
  notation: 1,
  bareKey: 1,
  oddKey: 3,
  /** With a character of addresses. */
  strangeKey: 12,
  emptyPlace: 1,
  missingValue: 3,
  missingComma: 3,
  missingCommaBeforeWord: 6,
  missingColon: 4,
  missingCloser: 4,
  wrongCloser: 5,
  missingQuote: 5,
  bareString: 3,
  /** And one for each character. */
  strayText: 4,
  strayCloser: 6,
  gluedText: 8,
  set: 4,
  call: 2,
  implicitObject: 5,
  joinedList: 5,
  fenceInString: 3,
} as const;

/** What a writer does throughout: without this, one long string that swallows such a text would be cheaper than reading it. */
const STYLES: readonly RepairKind[] = [
  "comment",
  "concatenation",
  "ellipsis",
  "escaped_text",
  "extra_comma",
  "function_call",
  "literal",
  "missing_colon",
  "missing_comma",
  "missing_value",
  "number",
  "punctuation",
  "quote_style",
  "tuple",
  "unquoted_key",
  "unquoted_string",
  "whitespace",
];

/** The reading with a repair and what it costs. */
export function repaired(
  reading: Reading,
  kind: RepairKind,
  cost: number,
  position: number = reading.position,
): Reading {
  const style = STYLES.indexOf(kind) < 0 ? 0 : 1 << STYLES.indexOf(kind);
  const price = (reading.styles & style) === 0 ? cost : Math.floor(cost / 3);
  const links = { previous: reading.links, count: (reading.links?.count ?? 0) + 1, kind, position };
  return { ...reading, cost: reading.cost + price, links, styles: reading.styles | style };
}

/** Ends a string: its content reaches from the reading's start to `contentEnd`, and the text continues at `position`. */
export function pushText(
  push: Grammar["push"],
  reading: Reading,
  contentEnd: number,
  position: number,
): void {
  const { start, mark, before } = reading;
  pushPart(push, { ...reading, position }, { type: "text", start, end: contentEnd, mark, before });
}

/** Adds a key or a value to the reading's frame. */
export function pushPart(push: Grammar["push"], reading: Reading, part: Part): void {
  const frame = frameOf(reading);
  if (reading.isKey) push({ ...reading, mode: "colon", frame: { ...frame, key: part } });
  else push({ ...reading, mode: "after", frame: withPart(frame, part) });
}

/** The frame of a reading that is not complete. */
export function frameOf({ frame }: Reading): Frame {
  if (frame === undefined) throw new TypeError("A reading that is not complete has a frame");
  return frame;
}
