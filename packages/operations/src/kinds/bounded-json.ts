import { type TokenCounter, truncateMiddle } from "@ccl/core";

import { maxJsonDepth } from "../artifact/copy-json.ts";
import { isLargerThan } from "../artifact/is-larger-than.ts";
import { wellFormed } from "../artifact/well-formed.ts";
import { OperationError } from "./operation-error.ts";

/** What came from outside as plain JSON and as text. */
export interface BoundedValue {
  value: unknown;
  text: string;
  isTruncated: boolean;
}

/**
 * A value from outside as JSON within a limit: a text is cut with a mark, anything else that is too long is
 * `budget_exceeded`, since half of it would mean something else. Undefined becomes null; NaN and infinities, of which
 * JSON would make null, are `output_parse_error`.
 */
export function boundedJson(given: unknown, maxChars: number): BoundedValue {
  if (typeof given === "string") {
    const { text, isTruncated } = truncateMiddle(wellFormed(given), { maxChars });
    return { value: text, text, isTruncated };
  }
  // What is too long is never written out.
  if (isLargerThan(given, maxChars)) throw tooLong(undefined, maxChars);
  const text = jsonText(given);
  if (text.length > maxChars) throw tooLong(text.length, maxChars);
  const value: unknown = JSON.parse(text);
  return { value, text, isTruncated: false };
}

function tooLong(chars: number | undefined, maxChars: number): OperationError {
  const message = `The output has ${chars ?? `more than ${maxChars}`} characters of JSON; at most ${maxChars} are allowed.`;
  return new OperationError("budget_exceeded", message, { details: { chars, maxChars } });
}

/** JSON, in which dates and the like are written as they mean to be. Throws `output_parse_error` for what is none. */
function jsonText(given: unknown): string {
  try {
    const text: string | undefined = isWritable(given) ? JSON.stringify(given ?? null) : undefined;
    if (text !== undefined) return text;
  } catch {
    // Said below.
  }
  throw new OperationError(
    "output_parse_error",
    "The output is no JSON: it is circular or holds what JSON has not.",
  );
}

/** False for numbers that JSON would make null, and for values that are too deep or hold themselves. */
function isWritable(value: unknown, depth: number = 0): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth >= maxJsonDepth) return false;
  for (const item of Array.isArray(value) ? value : Object.values(value))
    if (!isWritable(item, depth + 1)) return false;
  return true;
}

/** A text cut to tokens with a mark. */
export function boundedTokens(
  text: string,
  maxTokens: number | undefined,
  counter: TokenCounter,
): string {
  return maxTokens === undefined ? text : truncateMiddle(text, { maxTokens, counter }).text;
}
