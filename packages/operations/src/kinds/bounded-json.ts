import { type TokenCounter, truncateMiddle } from "@ccl/core";

import { maxJsonDepth } from "../artifact/copy-json.ts";
import { isLargerThan } from "../artifact/is-larger-than.ts";
import { wellFormed } from "../artifact/well-formed.ts";
import { messageOf } from "../operation/message-of.ts";
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
  const found = unwritable(given);
  let why = found === undefined ? "" : ` It holds ${found}.`;
  try {
    const text: string | undefined =
      found === undefined ? JSON.stringify(given ?? null) : undefined;
    if (text !== undefined) return text;
  } catch (error) {
    why = ` ${messageOf(error)}`;
  }
  throw new OperationError(
    "output_parse_error",
    `The output is no JSON: it is circular or holds what JSON has not.${why}`,
  );
}

/** What JSON would leave out or write as something else; also values that are too deep or hold themselves. */
function unwritable(value: unknown, depth: number = 0): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value);
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= maxJsonDepth) return `more than ${maxJsonDepth} levels`;
  // How it is written, it says itself.
  if ("toJSON" in value) return undefined;
  if (!Array.isArray(value) && !isPlain(value)) return `a ${value.constructor?.name || "object"}`;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    const found = unwritable(item, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** True for objects without a class, those of other realms among them. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A text cut to tokens with a mark. */
export function boundedTokens(
  text: string,
  maxTokens: number | undefined,
  counter: TokenCounter,
): string {
  return maxTokens === undefined ? text : truncateMiddle(text, { maxTokens, counter }).text;
}
