import { isQuote } from "../repair/quote-marks.ts";
import { readString } from "../repair/read-string.ts";
import type { Repair } from "../repair/repair.ts";
import { createTextView } from "../repair/text-view.ts";

// Longer lists of bare numbers are a table, not an answer.
const MAX_NUMBERS_LENGTH = 4096;
const MAX_QUOTED_REPAIRS = 1000;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A text without brackets that is one quoted string, or one number or several. Bare words are prose, not a value. */
export function readScalar(text: string): { value: unknown; repairs: Repair[] } | undefined {
  return readQuoted(text) ?? readNumbers(text);
}

function readQuoted(text: string): { value: unknown; repairs: Repair[] } | undefined {
  const view = createTextView(text);
  const start = view.skipSpace(0);
  if (!isQuote(text[start]) || text.startsWith("```", start)) return undefined;
  const repairs: Repair[] = [];
  const read = readString({ view, repairs, maxRepairs: MAX_QUOTED_REPAIRS }, start, { within: "paren", depth: 0 });
  const isRead = read !== undefined && repairs.length <= MAX_QUOTED_REPAIRS;
  return isRead && view.skipSpace(read.end) === text.length ? { value: read.value, repairs } : undefined;
}

function readNumbers(text: string): { value: unknown; repairs: Repair[] } | undefined {
  if (text.length > MAX_NUMBERS_LENGTH) return undefined;
  const position = text.search(/\S/);
  const words = text
    .trim()
    .split(/[,\n]/)
    .map((word) => word.trim());
  if (words.length > 1 && words.at(-1) === "") words.pop();
  if (!words.every((word) => NUMBER.test(word))) return undefined;
  const numbers = words.map(Number);
  if (numbers.length > 1) return { value: numbers, repairs: [{ kind: "sequence", position }] };
  return { value: numbers[0], repairs: [{ kind: "extra_comma", position }] };
}
