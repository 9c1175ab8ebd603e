import type { RepairKind } from "./repair.ts";

const each = (words: string, value: unknown): [string, unknown][] =>
  words.split(" ").map((word) => [word, value]);
const LITERALS: ReadonlyMap<string, unknown> = new Map([
  ...each("true True TRUE", true),
  ...each("false False FALSE", false),
  ...each("null None NULL Null nil undefined NaN nan Infinity -Infinity", null),
]);
const JSON_WORD = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const LOOSE_NUMBER = /^[+-]?(?:(?:[1-9]\d*|0)?\.\d+|(?:[1-9]\d*|0)\.?)(?:[eE][+-]?\d+)?$/;
const OTHER_BASE = /^0(?:[xX][\da-fA-F]{1,13}|[oO][0-7]{1,17}|[bB][01]{1,52})$/;
const GROUPED = /^([+-]?)(\d{1,3}(?:,\d{3})+|\d+(?:_\d+)+)(\.\d+(?:_\d+)*)?n?$/;
const BIG_INTEGER = /^-?(?:0|[1-9]\d*)n$/;
const SEVERAL = /^[+-]?[\d.]+(?:[\s,]+[+-]?[\d.]+)+$/;
const INVISIBLE = /[\u00ad\u180e\u200b-\u200d\u2060\ufeff]/g;
const MAX_WORD = 64;

/** Returns what an unquoted word means, and the repair for it. `undefined` if it means nothing. */
export function classifyWord(
  raw: string,
): { value: unknown; kind: RepairKind | undefined; cost: number } | undefined {
  const word = raw.trim();
  // JavaScript renders an object in a string as `[object Object]`.
  if (word === "" || word === "object Object") return undefined;
  const visible = word.length > MAX_WORD ? word : word.replaceAll(INVISIBLE, "");
  const literal = LITERALS.get(visible);
  if (visible.length <= MAX_WORD) {
    if (JSON_WORD.test(visible)) {
      // A number beyond a double's range is kept as a string.
      if (literal === undefined && !Number.isFinite(Number(visible)))
        return { value: visible, kind: "unquoted_string", cost: 3 };
      // A double rounds the digits, so JavaScript would print different ones.
      const isRounded = /^-?\d{16,}$/.test(visible) && String(Number(visible)) !== visible;
      const kind = isRounded ? "number" : visible === word ? undefined : "whitespace";
      return { value: literal === undefined ? Number(visible) : literal, kind, cost: 1 };
    }
    if (literal !== undefined) return { value: literal, kind: "literal", cost: 1 };
    const number = looseNumber(visible);
    if (number !== undefined) return { value: number, kind: "number", cost: 1 };
    if (SEVERAL.test(visible)) return { value: word, kind: "unquoted_string", cost: 12 };
  }
  return { value: word, kind: "unquoted_string", cost: /[()[\]{}"]/.test(word) ? 6 : 3 };
}

function looseNumber(word: string): number | undefined {
  if (LOOSE_NUMBER.test(word) || OTHER_BASE.test(word)) return Number(word);
  if (GROUPED.test(word)) return Number(word.replaceAll(/[_,n]/g, ""));
  return BIG_INTEGER.test(word) ? Number(word.slice(0, -1)) : undefined;
}

/** True for a complete number or literal. Before a space or a bracket, it may be the whole value. */
export function isWholeWord(text: string, start: number, end: number): boolean {
  if (end - start > MAX_WORD) return false;
  const kind = classifyWord(text.slice(start, end))?.kind;
  return kind !== "unquoted_string" && end > start;
}
