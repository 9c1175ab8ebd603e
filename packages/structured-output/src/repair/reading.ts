import { type Frame, type Part, type RepairLink, withPart } from "./parts.ts";
import type { RepairKind } from "./repair.ts";
import type { TextView } from "./text-view.ts";

/** What a reading expects next. `done` and `cut` are final: the value is complete, or the text ended first. */
export const MODES = [
  "value",
  "first",
  "key",
  "firstKey",
  "colon",
  "after",
  "string",
  "word",
  "keyWord",
  "done",
  "cut",
] as const;
export type Mode = (typeof MODES)[number];

/** One reading of the text up to `position`. Immutable, since other readings continue it. */
export interface Reading {
  mode: Mode;
  position: number;
  /** Total cost of its repairs. */
  cost: number;
  /** The innermost open bracket, or the outermost one of a complete value. */
  frame: Frame;
  links: RepairLink | undefined;
  /** Repair kinds that are the text's style, one bit each. After the first, each costs a third. */
  styles: number;
  /** Start of a string's content or a word. */
  start: number;
  /** The opening quote. Doubled for `""text""`. */
  mark: string;
  /** Unescaped quotes so far in the string. */
  inner: number;
  /** True for a key. */
  isKey: boolean;
  /** The string that this one continues after a `+`. */
  before: Part | undefined;
  /** The complete value. */
  root: Part | undefined;
}

/** The text, and a callback for the next readings. */
export interface Grammar {
  view: TextView;
  maxDepth: number;
  /** Numbers become strings as written. */
  keepsDigits: boolean;
  /** True if a bracket exceeded the nesting limit. */
  isTooDeep: boolean;
  push: (reading: Reading) => void;
  /** Returns an equal number for frames nested in the same kinds of brackets. */
  shapeOf: (parent: number, kind: Frame["kind"]) => number;
}

/**
 * Cost of each repair. Only sums are compared. A repair that changes no value is cheap, and one that ignores a quote is
 * expensive. None is free, so valid JSON is always read unchanged.
 */
export const COST = {
  notation: 1,
  bareKey: 1,
  oddKey: 3,
  /** A key with URL characters. */
  strangeKey: 12,
  emptyPlace: 1,
  missingValue: 3,
  missingComma: 3,
  missingCommaBeforeWord: 6,
  missingColon: 4,
  missingCloser: 4,
  wrongCloser: 5,
  missingQuote: 5,
  /** Only the opening quote is missing. */
  missingStart: 2,
  bareString: 3,
  strayColon: 4,
  strayCloser: 6,
  gluedText: 8,
  gluedWord: 4,
  set: 4,
  call: 2,
  implicitObject: 5,
  fenceInString: 3,
  hiddenString: 6,
} as const;

/**
 * Repairs that recur in a text. At full price, one long string that swallows the text could cost less than reading it.
 */
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
/** The style of a text whose strings contain unescaped quotes. They are listed once the text is read. */
export const UNESCAPED_QUOTES: number = 1 << STYLES.length;
export const UNQUOTED_KEYS: number = 1 << STYLES.indexOf("unquoted_key");

/** Adds a repair and its cost to the reading. */
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

/** Ends a string. Its content runs from the reading's start to `contentEnd`, and the text continues at `position`. */
export function pushText(
  push: Grammar["push"],
  reading: Reading,
  contentEnd: number,
  position: number,
): void {
  const { start, mark, before } = reading;
  pushPart(push, { ...reading, position }, { type: "text", start, end: contentEnd, mark, before });
}

/** Adds a key or value to the reading's frame. */
export function pushPart(push: Grammar["push"], reading: Reading, part: Part): void {
  const { frame } = reading;
  if (reading.isKey) push({ ...reading, mode: "colon", frame: { ...frame, key: part } });
  else push({ ...reading, mode: "after", frame: withPart(frame, part) });
}
