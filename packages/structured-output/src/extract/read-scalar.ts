import { isQuote } from "../repair/marks.ts";
import { type ParseBudget, parseTolerant } from "../repair/parse-tolerant.ts";
import type { Repair } from "../repair/repair.ts";
import { createTextView } from "../repair/text-view.ts";

// A longer list of bare numbers is a table, not an answer.
const MAX_NUMBERS_LENGTH = 4096;
const MAX_QUOTED_REPAIRS = 1000;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const LEADING_ZERO = /^0\d+(?:\.\d+)?$/;
const MEMBER = /^\s{0,64}(["'“”])[^"'“”\n]{1,64}["'“”]\s{0,8}[:：]/;

interface Scalar {
  value: unknown;
  repairs: Repair[];
}

/** Reads text that is a single quoted string, or numbers. Bare words count as prose. */
export function readScalar(text: string, budget: ParseBudget): Scalar | undefined {
  return readQuoted(text, budget) ?? readNumbers(text);
}

// Reads quoted text as a list's only item.
function readQuoted(text: string, budget: ParseBudget): Scalar | undefined {
  const { value: list, repairs } = readWithin("[", text, "]", budget) ?? {};
  const [value, ...others] = Array.isArray(list) ? (list as unknown[]) : [];
  if (typeof value !== "string" || repairs === undefined || others.length > 0) return undefined;
  return { value, repairs };
}

/** Reads text that is an object without its braces, or without the opening one. The first key must be quoted. */
export function readMembers(text: string, budget: ParseBudget): Scalar | undefined {
  if (!MEMBER.test(text)) return undefined;
  const read = readWithin("{", text, "}", budget) ?? readWithin("{", text.trimEnd(), "", budget);
  return read && { ...read, repairs: [{ kind: "missing_braces", position: 0 }, ...read.repairs] };
}

function readWithin(
  open: string,
  text: string,
  close: string,
  budget: ParseBudget,
): Scalar | undefined {
  const start = createTextView(text).skipSpace(0);
  if (!isQuote(text[start]) || text.startsWith("```", start)) return undefined;
  const whole = open + text + close;
  const parsed = parseTolerant(createTextView(whole), 0, {
    ...budget,
    maxRepairs: Math.min(budget.maxRepairs, MAX_QUOTED_REPAIRS),
  });
  if (parsed.status !== "complete" || parsed.end !== whole.length) return undefined;
  const repairs = parsed.repairs.map(({ kind, position }) => ({ kind, position: position - 1 }));
  return { value: parsed.value, repairs };
}

function readNumbers(text: string): Scalar | undefined {
  if (text.length > MAX_NUMBERS_LENGTH) return undefined;
  const position = text.search(/\S/);
  const words = text
    .trim()
    .replace(/,$/, "")
    .split(/[,\n]/)
    .map((word) => word.trim());
  if (!words.every((word) => NUMBER.test(word) || LEADING_ZERO.test(word))) return undefined;
  // Text with a leading zero is a code, so it keeps its digits.
  const values = words.map((word) => (LEADING_ZERO.test(word) ? word : Number(word)));
  const isList = values.length > 1;
  const lone = typeof values[0] === "string" ? "unquoted_string" : "extra_comma";
  return {
    value: isList ? values : values[0],
    repairs: [{ kind: isList ? "sequence" : lone, position }],
  };
}
