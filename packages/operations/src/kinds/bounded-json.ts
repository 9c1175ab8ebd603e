import { canonicalJson, type TokenCounter, truncateMiddle } from "@ccl/core";

import { copyJson } from "../artifact/copy-json.ts";
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
  const text = jsonText(given);
  if (text.length > maxChars) {
    const message = `The output has ${text.length} characters of JSON; at most ${maxChars} are allowed.`;
    throw new OperationError("budget_exceeded", message, {
      details: { chars: text.length, maxChars },
    });
  }
  const value: unknown = JSON.parse(text);
  return { value, text, isTruncated: false };
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
