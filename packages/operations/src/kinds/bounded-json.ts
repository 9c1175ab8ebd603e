import { truncateMiddle } from "@ccl/core";

import { isLargerThan } from "../artifact/is-larger-than.ts";
import { wellFormed } from "../artifact/copy-json.ts";
import { messageOf } from "../operation/message-of.ts";
import { OperationError } from "./operation-error.ts";

/** An external value as plain JSON and as text. */
export interface BoundedValue {
  value: unknown;
  text: string;
  isTruncated: boolean;
}

/**
 * Converts an external value to JSON within a limit. Truncates a string that is too long, with a marker. Rejects any
 * other value that is too long with `budget_exceeded`, since half of it would mean something else. Undefined becomes
 * null. NaN and infinities are `output_parse_error`, since JSON would turn them into null.
 */
export function boundedJson(given: unknown, maxChars: number): BoundedValue {
  if (typeof given === "string") {
    const { text, isTruncated } = truncateMiddle(wellFormed(given), { maxChars });
    return { value: text, text, isTruncated };
  }
  // A value that is too long is never serialized.
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

/** Serializes a value, calling `toJSON` of dates and other objects. Throws `output_parse_error` if it is not JSON. */
function jsonText(given: unknown): string {
  try {
    return JSON.stringify(given ?? null, (_, value: unknown) => {
      const found = unwritable(value);
      if (found !== undefined) throw new TypeError(`It contains ${found}.`);
      return value;
    });
  } catch (error) {
    const message = `The output is not JSON: it is circular or contains what JSON cannot represent. ${messageOf(error)}`;
    throw new OperationError("output_parse_error", message);
  }
}

/** Describes what JSON would omit or change. Undefined if there is nothing. */
function unwritable(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value);
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  // Plain objects, including those from other realms.
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  return `a ${value.constructor?.name || "object"}`;
}
