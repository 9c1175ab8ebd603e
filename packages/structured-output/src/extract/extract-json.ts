import { type Complete, type Issue, type Result, failure, success, withDefaults } from "@ccl/core";
import type { ParseBudget } from "../repair/parse-tolerant.ts";
import type {
  ExtractedJson,
  ExtractLimits,
  ExtractOptions,
  JsonSource,
} from "./extract-options.ts";
import { type Candidate, findCandidates } from "./find-candidates.ts";
import { findFitting } from "./find-fitting.ts";
import { DEEPEST_LIMIT, isDeeperThan } from "./is-deeper-than.ts";
import { nestsTooDeep } from "./nests-too-deep.ts";
import { readScalar } from "./read-scalar.ts";
import { joinSequence } from "./join-sequence.ts";

type Accept = (value: unknown) => boolean;

interface Reading {
  value: unknown;
  repairs: ExtractedJson["repairs"];
  source: Omit<JsonSource, "path">;
}

const DEFAULT_LIMITS: Complete<ExtractLimits> = {
  maxBytes: 16 * 1024 * 1024,
  maxDepth: 512,
  maxRepairs: 100_000,
  timeoutMs: 5_000,
};

/**
 * Reads the value that a model's answer means: JSON as it stands, JSON in a JSON string, then what a code fence or prose holds,
 * repaired if need be with every repair listed. What is cut off is `ERR_TRUNCATED`, never a value; other codes are
 * `ERR_JSON_EXTRACT` (nothing that looks like JSON), `ERR_JSON_PARSE` and `ERR_SCHEMA_VALIDATION` (read, but not accepted).
 */
export function extractJson(text: string, options: ExtractOptions = {}): Result<ExtractedJson> {
  const limits = withDefaults(DEFAULT_LIMITS, options.limits);
  limits.maxDepth = Math.min(limits.maxDepth, DEEPEST_LIMIT);
  if (options.finishReason === "length")
    return refuse(
      "ERR_TRUNCATED",
      "The model stopped at its length limit. Ask it to go on from where it stopped.",
    );
  if (isLongerThan(text, limits.maxBytes))
    return refuse(
      "ERR_JSON_PARSE",
      `The answer has more than ${limits.maxBytes} bytes. Raise limits.maxBytes to read it.`,
    );
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const body = start === 0 ? text : text.slice(1);
  const whole = nestsTooDeep(body, limits.maxDepth) ? undefined : parseJson(body);
  if (whole === undefined) return readCandidates(text, options.accept, limits);
  if (isDeeperThan(whole.value, limits.maxDepth)) return refuseDepth(limits.maxDepth);
  return readWhole(
    { value: whole.value, repairs: [], source: { kind: "whole", start, end: text.length } },
    options.accept,
    limits,
  );
}

function readWhole(
  reading: Reading,
  accept: Accept | undefined,
  limits: Complete<ExtractLimits>,
): Result<ExtractedJson> {
  const decoded =
    typeof reading.value === "string" ? decode(reading.value, reading, limits) : undefined;
  const readings =
    decoded === undefined ? [reading] : accept === undefined ? [decoded] : [reading, decoded];
  return choose(readings, accept);
}

// At most twice: a string in a string in a string is nobody's answer.
function decode(
  text: string,
  outer: Reading,
  limits: Complete<ExtractLimits>,
): Reading | undefined {
  const source = { ...outer.source, kind: "double_encoded" } as const;
  const parsed = parseJson(text);
  if (parsed !== undefined) {
    const again = typeof parsed.value === "string" ? parseJson(parsed.value) : parsed;
    const value = again?.value;
    const isContainer = typeof value === "object" && value !== null;
    return isContainer && !isDeeperThan(value, limits.maxDepth)
      ? { value, repairs: [], source }
      : undefined;
  }
  const found = findCandidates(text, budgetOf(limits));
  const [only, ...others] = found.candidates;
  if (only === undefined || others.length > 0 || found.truncatedAt !== undefined) return undefined;
  return { value: only.value, repairs: [...only.repairs], source };
}

function readCandidates(
  text: string,
  accept: Accept | undefined,
  limits: Complete<ExtractLimits>,
): Result<ExtractedJson> {
  const { candidates, truncatedAt, broken } = findCandidates(text, budgetOf(limits));
  if (truncatedAt !== undefined)
    return refuse(
      "ERR_TRUNCATED",
      `The answer ends inside what begins at offset ${truncatedAt}. Ask the model to go on from where it stopped.`,
    );
  const [firstBroken] = broken;
  if (firstBroken !== undefined && (candidates.length === 0 || accept === undefined))
    return refuse(
      "ERR_JSON_PARSE",
      `The JSON cannot be read at offset ${firstBroken.position}. ${firstBroken.reason}.`,
    );
  if (candidates.length === 0) {
    const scalar = readScalar(text, budgetOf(limits));
    if (scalar !== undefined)
      return readWhole(
        { ...scalar, source: { kind: "whole", start: 0, end: text.length } },
        accept,
        limits,
      );
    return refuse("ERR_JSON_EXTRACT", "The answer holds no JSON object or array.");
  }
  const sequence = joinSequence(text, candidates);
  return choose(readings(sequence, candidates), accept);
}

// All values as one first, then fenced ones, then those of prose; last what is as likely a footnote mark, `[1]`, or an
// empty bracket. One at a time, since a hostile text holds millions and the first that fits is all that is wanted.
function* readings(
  sequence: Candidate | undefined,
  candidates: readonly Candidate[],
): Generator<Reading> {
  if (sequence !== undefined) yield toReading(sequence);
  for (const weight of [0, 1, 2])
    for (const candidate of candidates)
      if (weightOf(candidate) === weight) yield toReading(candidate);
}

function toReading({ value, repairs, zone, start, end }: Candidate): Reading {
  return { value, repairs: [...repairs], source: { kind: zone, start, end } };
}

function weightOf(candidate: Candidate): number {
  return candidate.zone === "fence" ? 0 : isSlight(candidate) ? 2 : 1;
}

function isSlight({ value }: Candidate): boolean {
  if (!Array.isArray(value))
    return typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return value.length < 2 && (value.length === 0 || typeof value[0] === "number");
}

function choose(readings: Iterable<Reading>, accept: Accept | undefined): Result<ExtractedJson> {
  for (const { value, repairs, source } of readings) {
    const fitting = accept === undefined ? { value, path: [] } : findFitting(value, accept);
    if (fitting !== undefined)
      return success({ value: fitting.value, repairs, source: { ...source, path: fitting.path } });
  }
  return refuse(
    "ERR_SCHEMA_VALIDATION",
    "The answer holds JSON, but no value in it fits what was asked for.",
  );
}

function parseJson(text: string): { value: unknown } | undefined {
  // On megabytes of open brackets the engine's parser takes a second to say what their last character shows.
  if (!/[\]}"\del]/.test(text.trimEnd().slice(-1))) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function isLongerThan(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return false;
  return text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes;
}

function budgetOf({ maxDepth, maxRepairs, timeoutMs }: Complete<ExtractLimits>): ParseBudget {
  const deadline = performance.now() + timeoutMs;
  return { maxDepth, maxRepairs, isExpired: () => performance.now() > deadline };
}

function refuseDepth(maxDepth: number): Result<ExtractedJson> {
  return refuse(
    "ERR_JSON_PARSE",
    `The JSON is nested deeper than ${maxDepth}. Ask for a flatter value or raise limits.maxDepth.`,
  );
}

function refuse(code: string, message: string): Result<ExtractedJson> {
  const issue: Issue = { code, path: [], message };
  return failure(issue);
}
