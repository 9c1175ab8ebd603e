import { parseTolerant, type ParseBudget } from "./parse-tolerant.ts";
import { PlainReader } from "./plain-reader.ts";
import type { TextView } from "./text-view.ts";

// Numbers that JavaScript may print differently.
const OTHER_SPELLING = /\d{16}|\.\d*0(?!\d)|\d[eExXn_,]|\+\d|(?<!\d)\.\d|\d\.(?!\d)|-0(?![.\d])/;

/** The value at an offset with its numbers as written. Undefined if JavaScript prints them the same. */
export function readDigits(view: TextView, start: number, budget: ParseBudget): unknown {
  if (!OTHER_SPELLING.test(view.text)) return undefined;
  const options = { ...budget, keepsDigits: true };
  const reader = new PlainReader(start, options);
  if (reader.read(view.text, true) === "complete") return reader.value;
  const parsed = parseTolerant(view, start, options);
  return parsed.status === "complete" ? parsed.value : undefined;
}
