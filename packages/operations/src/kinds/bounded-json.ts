import { canonicalJson, type TokenCounter, truncateMiddle } from "@ccl/core";

import { copyJson } from "../artifact/copy-json.ts";
import { isLargerThan } from "../effects/is-larger-than.ts";
import { wellFormed } from "../artifact/well-formed.ts";
import { OperationError } from "./operation-error.ts";

/** Characters of JSON of what an operation may give unless the engine says otherwise: checking them holds up a process for some 0.1 s at most. */
export const maxValueChars: number = 250_000;

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
  // It counts up to five characters for one, a short number with its comma; what is far too long is never written out.
  if (isLargerThan(given, 5 * maxChars)) throw tooLong(undefined, maxChars);
  const text = jsonText(given);
  if (text.length > maxChars) throw tooLong(text.length, maxChars);
  const value: unknown = JSON.parse(text);
  return { value, text, isTruncated: false };
}

function tooLong(chars: number | undefined, maxChars: number): OperationError {
  const message = `The output has ${chars ?? `more than ${maxChars}`} characters of JSON; at most ${maxChars} are allowed.`;
  return new OperationError("budget_exceeded", message, { details: { chars, maxChars } });
}

/** Plain JSON with sorted keys. Throws `output_parse_error` for what is none. */
function jsonText(given: unknown): string {
  try {
    // By way of JSON.stringify, so that dates and the like are written as they mean to be.
    const copy = copyJson(JSON.parse(JSON.stringify(given ?? null, finite)));
    if (copy.ok) return canonicalJson(copy.value);
  } catch {
    // Said below.
  }
  throw new OperationError(
    "output_parse_error",
    "The output is no JSON: it is circular or holds what JSON has not.",
  );
}

function finite(_key: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new TypeError(`${value} is no JSON.`);
  return value;
}

/** A text cut to tokens with a mark. */
export function boundedTokens(
  text: string,
  maxTokens: number | undefined,
  counter: TokenCounter,
): string {
  return maxTokens === undefined ? text : truncateMiddle(text, { maxTokens, counter }).text;
}
