import type { RepairContext } from "./read-string.ts";
import { isQuote } from "./quote-marks.ts";
import { startsKey, type StringPlace } from "./string-end.ts";
import { isSpace, type TextView } from "./text-view.ts";

/** What a text without quotation marks stands for. */
export interface ReadWord {
  value: unknown;
  end: number;
}

const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["True", true],
  ["False", false],
  ["None", null],
  ["TRUE", true],
  ["FALSE", false],
  ["NULL", null],
  ["Null", null],
  ["undefined", null],
  ["NaN", null],
  ["nan", null],
  ["Infinity", null],
  ["-Infinity", null],
]);
const JSON_WORD = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const MAX_JSON_WORD = 32;
const LOOSE_NUMBER = /^[+-]?(?:(?:[1-9]\d*|0)?\.\d+|(?:[1-9]\d*|0)\.?)(?:[eE][+-]?\d+)?$/;
const OPEN_EXPONENT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?[eE][+-]?$/;
const HEX_NUMBER = /^0[xX][0-9a-fA-F]{1,13}$/;

/** Reads a value without quotation marks up to what ends it in that place; empty if nothing stands there. */
export function readWord(
  { view, repairs }: Pick<RepairContext, "view" | "repairs">,
  start: number,
  place: StringPlace,
): ReadWord {
  const end = place.within === "key" ? keyEnd(view.text, start) : valueEnd(view, start, place);
  const word = view.text.slice(start, end).trimEnd();
  if (place.within === "key" || word === "") return { value: word, end };
  const literal = LITERALS.get(word);
  if (JSON_WORD.test(word)) return { value: literal === undefined ? Number(word) : literal, end };
  if (literal !== undefined) {
    repairs.push({ kind: "literal", position: start });
    return { value: literal, end };
  }
  if (LOOSE_NUMBER.test(word) || HEX_NUMBER.test(word)) {
    repairs.push({ kind: "number", position: start });
    return { value: Number(word), end };
  }
  if (OPEN_EXPONENT.test(word)) {
    repairs.push({ kind: "number", position: start });
    return { value: Number(word.replace(/[eE][+-]?$/, "")), end };
  }
  repairs.push({ kind: "unquoted_string", position: start });
  return { value: word, end };
}

function keyEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && !':,{}[]"\n='.includes(text[at] ?? "")) at += 1;
  return at;
}

function valueEnd(view: TextView, start: number, place: StringPlace): number {
  const { text } = view;
  const { within } = place;
  let braces = 0;
  let at = start;
  for (; at < text.length; at += 1) {
    if (isLetterOrDigit(text.charCodeAt(at))) continue;
    const character = text[at] ?? "";
    if (
      (character === "{" || (character === " " && within === "array")) &&
      isWholeWord(text, start, at)
    )
      break;
    if (character === "{" && at > start) braces += 1;
    else if (character === "}" && braces > 0) braces -= 1;
    else if (braces === 0 && (endsWord(character, place) || (character === ":" && at === start)))
      break;
    else if (character === "\n" && (within !== "object" || startsEntry(view.skipSpace(at)))) break;
    else if (character === "/" && text[at + 1] === "*") break;
    else if (character === "/" && text[at + 1] === "/" && isSpace(text.charCodeAt(at - 1))) break;
    else if (text.startsWith("```", at)) break;
  }
  return at;

  function startsEntry(next: number): boolean {
    return "}]".includes(text[next] ?? "}") || startsKey(view, next);
  }
}

// Before a bracket or, in a list, before a further number a number or literal is complete: `[1 2]`, `{"a": 1{"b": 2}`.
function isWholeWord(text: string, start: number, end: number): boolean {
  const isFollowed = text[end] === "{" || /[-\d]/.test(text[end + 1] ?? "");
  return isFollowed && end - start < MAX_JSON_WORD && JSON_WORD.test(text.slice(start, end));
}

function isLetterOrDigit(code: number): boolean {
  return ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

function endsWord(character: string, { within }: StringPlace): boolean {
  if (",}]".includes(character)) return true;
  if (within === "paren" && character === ")") return true;
  return (
    character === '"' ||
    character === "“" ||
    (within !== "object" && isQuote(character) && character !== "'")
  );
}
