import { type Complete, type Result, failure, success, withDefaults } from "@ccl/core";
import { parseJson } from "@ccl/core/json";
import type { ParseBudget } from "../repair/parse-tolerant.ts";
import { PlainReader } from "../repair/plain-reader.ts";
import { type Choice, type Chosen, chosenFrom, chooseValue } from "./choose-value.ts";
import type { ExtractedJson, ExtractLimits, ExtractOptions } from "./extract-options.ts";
import { findCandidates, type Reading } from "./find-candidates.ts";
import { readMembers, readScalar } from "./read-scalar.ts";

export const DEFAULT_LIMITS: Complete<ExtractLimits> = {
  maxBytes: 16 * 1024 * 1024,
  maxDepth: 512,
  maxRepairs: 100_000,
};
/** Upper bound on `maxDepth`, because checks are recursive. */
const DEEPEST_LIMIT = 2000;
/** A backspace or form feed before a letter usually starts a LaTeX command, or is a regex word boundary. */
const DOUBTFUL_ESCAPE = /(?<!\\)(?:\\\\)*\\[bf][a-z]/;

/**
 * Reads the JSON value in a model's answer. Tries plain JSON, JSON in a JSON string, then code fences and prose.
 * Repairs are listed. A truncated answer returns `ERR_TRUNCATED` and never a value. Other codes are `ERR_JSON_EXTRACT`
 * (nothing looks like JSON), `ERR_JSON_PARSE` and `ERR_SCHEMA_VALIDATION` (parsed, but not accepted).
 */
export function extractJson(text: string, options: ExtractOptions = {}): Result<ExtractedJson> {
  const { accept } = options;
  const isAny = accept === undefined;
  const found = findAnswer(text, options, {
    isAny,
    fit: (value) => (isAny || accept(value) ? { value, json: value, steps: [] } : undefined),
  });
  if (!found.ok) return found;
  const { value, repairs, source } = found.value;
  return success({ value, repairs, source });
}

/** Like `extractJson`, for a choice that may reshape the value. */
export function findAnswer<T>(
  text: string,
  { limits: given, finishReason }: Omit<ExtractOptions, "accept">,
  choice: Choice<T>,
): Result<Chosen<T>> {
  const limits = withDefaults(DEFAULT_LIMITS, given);
  limits.maxDepth = Math.min(limits.maxDepth, DEEPEST_LIMIT);
  if (finishReason === "length")
    return refuse(
      "ERR_TRUNCATED",
      "The model stopped at its length limit. Ask it to continue from where it stopped.",
    );
  if (text.length * 3 > limits.maxBytes && new TextEncoder().encode(text).length > limits.maxBytes)
    return refuse(
      "ERR_JSON_PARSE",
      `The answer has more than ${limits.maxBytes} bytes. Raise limits.maxBytes to read it.`,
    );
  const whole = readPlain(text, limits);
  return whole === undefined
    ? readCandidates(text, choice, limits)
    : readWhole(whole, choice, limits);
}

function readWhole<T>(
  reading: Reading,
  choice: Choice<T>,
  limits: Complete<ExtractLimits>,
): Result<Chosen<T>> {
  const decoded =
    typeof reading.value === "string" ? decode(reading.value, reading, limits) : undefined;
  const readings =
    decoded === undefined ? [reading] : choice.isAny === true ? [decoded] : [reading, decoded];
  for (const one of readings) {
    const chosen = chosenFrom(one, choice);
    if (chosen !== undefined) return success(chosen);
  }
  return refuse("ERR_SCHEMA_VALIDATION", "The answer contains JSON, but none of its values fits.");
}

// Decodes up to two times, since real answers do not nest strings deeper.
function decode(
  text: string,
  outer: Reading,
  limits: Complete<ExtractLimits>,
): Reading | undefined {
  const inner = readPlain(text, limits)?.value;
  const found = onlyValueIn(typeof inner === "string" ? inner : text, limits);
  return found && { ...found, source: { ...outer.source, kind: "double_encoded" } };
}

/** Returns the value in text that contains exactly one bracketed value. Reads it like an answer. */
export function onlyValueIn(
  text: string,
  budget: ParseBudget = DEFAULT_LIMITS,
): Reading | undefined {
  const { candidates, truncatedAt, broken } = findCandidates(text, budget);
  const [only, ...others] = candidates;
  const isOnly = others.length === 0 && truncatedAt === undefined && broken.length === 0;
  return isOnly ? only : undefined;
}

function readCandidates<T>(
  text: string,
  choice: Choice<T>,
  limits: Complete<ExtractLimits>,
): Result<Chosen<T>> {
  const found = findCandidates(text, limits);
  const { candidates, truncatedAt, broken } = found;
  const members = readMembers(text, limits);
  const source = { kind: "whole", start: 0, end: text.length } as const;
  if (members !== undefined) return readWhole({ ...members, source }, choice, limits);
  if (truncatedAt !== undefined)
    return refuse(
      "ERR_TRUNCATED",
      `The answer is cut off inside the value at offset ${truncatedAt}. Ask the model to continue from where it stopped.`,
    );
  const [firstBroken] = broken;
  if (firstBroken !== undefined && (candidates.length === 0 || choice.isAny === true))
    return refuse(
      "ERR_JSON_PARSE",
      `The JSON cannot be read at offset ${firstBroken.position}. ${firstBroken.reason}.`,
    );
  if (candidates.length > 0) return chooseValue(text, found, choice);
  const scalar = readScalar(text, limits);
  if (scalar === undefined) return refuse("ERR_JSON_EXTRACT", "The answer contains no JSON value.");
  return readWhole({ ...scalar, source }, choice, limits);
}

/** Reads text that is valid JSON and loses nothing: no key is repeated and no number rounded. */
function readPlain(text: string, limits: ParseBudget): Reading | undefined {
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const read = (keepsDigits: boolean): unknown => {
    const reader = new PlainReader(start, { ...limits, keepsDigits });
    const isWhole =
      reader.read(text, true) === "complete" && /^\s*$/.test(text.slice(reader.position));
    return isWhole && reader.repairs.length === 0 ? reader.value : undefined;
  };
  const value = parseExactly(text.slice(start), limits.maxDepth) ?? read(false);
  const source = { kind: "whole", start, end: text.length } as const;
  return value === undefined ? undefined : { value, repairs: [], source, digits: () => read(true) };
}

/** Parses with the engine. Returns undefined if that may have dropped a key, rounded a number, or changed an escape. */
function parseExactly(text: string, maxDepth: number): unknown {
  const colons = DOUBTFUL_ESCAPE.test(text) ? undefined : countColons(text, maxDepth);
  const value = colons === undefined ? undefined : parseJson(text);
  return countFields(value) === colons ? value : undefined;
}

/**
 * Counts the colons outside strings. Returns undefined if brackets nest deeper than the limit: the engine takes seconds
 * for megabytes of open brackets.
 */
function countColons(text: string, maxDepth: number): number | undefined {
  let colons = 0;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isInString = !isInString;
    else if (isInString) at += character === "\\" ? 1 : 0;
    else if (character === ":") colons += 1;
    else if (character === "]" || character === "}") depth -= 1;
    else if (character === "[" || character === "{") depth += 1;
    if (depth > maxDepth) return undefined;
  }
  return colons;
}

/** Counts the fields of all objects. JSON with a repeated key has more colons. NaN if a number may be rounded. */
function countFields(value: unknown): number {
  if (typeof value === "number")
    return Number.isInteger(value) === Number.isSafeInteger(value) && Number.isFinite(value)
      ? 0
      : NaN;
  if (typeof value !== "object" || value === null) return 0;
  const children: unknown[] = Object.values(value);
  const count = Array.isArray(value) ? 0 : children.length;
  return children.reduce((sum: number, child) => sum + countFields(child), count);
}

function refuse(code: string, message: string): ReturnType<typeof failure> {
  return failure({ code, path: [], message });
}
