import { type Result, failure, success } from "@ccl/core";
import { isRecord, isSameJson, valueAt } from "@ccl/core/json";
import type { Repair } from "../repair/repair.ts";
import type { JsonSource } from "./extract-options.ts";
import type { FoundCandidates, Reading } from "./find-candidates.ts";

const INTRODUCTION = /(?:[:=>(`*]|\b(?:is|are))[^\S\n]*$/;
const MAX_INTRODUCTION = 16;

/** A value in an answer that fits the schema or the caller's test. */
interface Fit<T> {
  value: T;
  /** The value before a schema library transformed it. Used to compare two values. */
  json: unknown;
  /** Changes needed to fit the value. */
  steps: readonly Omit<Repair, "position">[];
}

/** Decides which value in an answer to take. */
export interface Choice<T> {
  /**
   * Returns the value if it fits. `digits` returns it with numbers as written, if JavaScript prints them differently.
   */
  fit: (value: unknown, digits: () => unknown) => Fit<T> | undefined;
  /** True if the requested value has this field, so an object with only that field is not a wrapper. */
  isOwnKey?: ((key: string) => boolean) | undefined;
  /** True if every value fits. Then the first reading is taken. */
  isAny?: boolean | undefined;
}

/** The chosen value, its repairs and its source. */
export interface Chosen<T> extends Pick<Fit<T>, "value" | "json"> {
  repairs: Repair[];
  source: JsonSource;
}

/** Takes a reading's value if it fits, otherwise the value inside single-member objects and lists. */
export function chosenFrom<T>(
  { value, repairs, source, digits }: Reading,
  { fit, isOwnKey }: Choice<T>,
): Chosen<T> | undefined {
  const path: JsonSource["path"] = [];
  for (let inner = value; ;) {
    const found = fit(inner, () => valueAt(digits?.(), path));
    if (found !== undefined) {
      const position = source.start;
      const wrapper = path.length === 0 ? [] : [{ kind: "wrapper" as const, position, path }];
      const steps = found.steps.map((step) => ({ ...step, position }));
      const all = [...repairs, ...wrapper, ...steps];
      return { value: found.value, json: found.json, repairs: all, source: { ...source, path } };
    }
    const [only, ...others] = Object.entries(isContainer(inner) ? inner : {});
    if (only === undefined || others.length > 0 || !isContainer(only[1])) return undefined;
    const [key, child] = only;
    if (!Array.isArray(inner) && isOwnKey?.(key) === true) return undefined;
    path.push(Array.isArray(inner) ? Number(key) : key);
    inner = child;
  }
}

/**
 * Takes all values as one list if that fits, otherwise the only one that fits. If two differing values fit, rejects the
 * answer, since only the model can decide.
 */
export function chooseValue<T>(
  text: string,
  { candidates, broken }: FoundCandidates,
  choice: Choice<T>,
): Result<Chosen<T>> {
  const untagged = candidates.filter((candidate) => !isTag(candidate));
  const sequence = joinSequence(text, untagged.length > 0 ? untagged : candidates);
  const whole = sequence && chosenFrom(sequence, choice);
  if (whole?.repairs.every(({ kind }) => kind !== "schema_list") === true) return success(whole);
  // A footnote mark such as `[1]`, or empty brackets in prose, counts only if nothing else fits.
  const weighty = sequence
    ? candidates
    : untagged.filter((candidate) => !isSlight(text, candidate));
  const found = fitting(weighty, choice);
  // Next to an unreadable value, it may be part of it.
  const isSlightEnough = found.length === 0 && broken.length === 0;
  const [last, ...rivals] = (isSlightEnough ? fitting(candidates, choice) : found).reverse();
  if (last === undefined || isCitation(text, last.candidate))
    return refuse("The answer contains JSON, but none of its values fits.");
  const { chosen, candidate } = last;
  const { kind, start, end } = candidate.source;
  const after = broken.find(
    ({ position, isInFence }) => position === end || (isInFence && position > end),
  );
  const later = weighty.find(
    (other) => other.source.start > end && isRival(other.value, candidate.value, chosen.json),
  );
  const rival = after?.position ?? later?.source.start;
  if (rival !== undefined)
    return refuse(
      `A value fits, but the one after it, at offset ${rival}, does not. Answer with one value.`,
    );
  const other = rivals.find((one) => !isSameJson(one.chosen.json, chosen.json));
  if (other === undefined) return success(chosen);
  const position = other.candidate.source.start;
  const rivalsEnd = rivals.reduce((max, one) => Math.max(max, one.candidate.source.end), 0);
  if (kind !== "fence" || !isMarkedFinal(text.slice(rivalsEnd, start)))
    return refuse(
      `The answer contains two different values that fit, at offsets ${position} and ${start}. Answer with one.`,
    );
  return success({ ...chosen, repairs: [{ kind: "draft", position }, ...chosen.repairs] });
}

/** Joins values into a list if they make up the whole text, one per line (JSON Lines) or comma-separated. */
function joinSequence(text: string, candidates: readonly Reading[]): Reading | undefined {
  const { start = 0 } = candidates[0]?.source ?? {};
  let end = 0;
  for (const { source } of candidates) {
    const between = text.slice(end, source.start);
    const isJoined = /^\s*$/.test(between)
      ? end === 0 || between.includes("\n")
      : end > 0 && between.trim() === ",";
    if (!isJoined) return undefined;
    end = source.end;
  }
  if (candidates.length < 2 || !/^,?$/.test(text.slice(end).trim())) return undefined;
  return {
    value: candidates.map(({ value }) => value),
    repairs: [
      { kind: "sequence", position: start },
      ...candidates.flatMap((candidate) => candidate.repairs),
    ],
    source: { kind: "prose", start, end },
    digits: () => candidates.map(({ digits }) => digits?.()),
  };
}

function isMarkedFinal(between: string): boolean {
  return /\bfinal\b/i.test(between) && !/\bnot\b/i.test(between);
}

function fitting<T>(
  candidates: readonly Reading[],
  choice: Choice<T>,
): { candidate: Reading; chosen: Chosen<T> }[] {
  return candidates.flatMap((candidate) => {
    const chosen = chosenFrom(candidate, choice);
    return chosen === undefined ? [] : [{ candidate, chosen }];
  });
}

// True if a later value with the same fields may be the answer, and the one that fits only a draft.
function isRival(value: unknown, taken: unknown, json: unknown): boolean {
  if (!isRecord(value) || !isRecord(taken) || isSameJson(value, taken)) return false;
  return isRecord(json) && Object.keys(value).some((key) => Object.hasOwn(json, key));
}

function isSlight(text: string, { value, source }: Reading): boolean {
  if (!Array.isArray(value)) return isContainer(value) && Object.keys(value).length === 0;
  const isSubscript =
    /[\p{L}\p{N}_)\]]/u.test(text.charAt(source.start - 1)) && !isContainer(value[0]);
  return value.length < 2 && (value.length === 0 || typeof value[0] === "number" || isSubscript);
}

/**
 * True for a list of one number in a sentence that does not introduce it, as in `The source [1] says no.`, and before
 * the rest of a line, as in a list of sources.
 */
function isCitation(text: string, { value, source: { start, end } }: Reading): boolean {
  const before = text.slice(Math.max(0, start - MAX_INTRODUCTION), start);
  const isAlone = /(?:^|\n)\s*$/.test(before) && !/^[^\S\n]*\w/.test(text.slice(end));
  const isNumber = Array.isArray(value) && value.length === 1 && typeof value[0] === "number";
  return isNumber && !isAlone && !INTRODUCTION.test(before);
}

/** True for a bracketed word, such as `[ANSWER]` before a value. */
function isTag({ value, repairs }: Reading): boolean {
  return (
    Array.isArray(value) &&
    value.length === 1 &&
    typeof value[0] === "string" &&
    repairs.some(({ kind }) => kind === "unquoted_string")
  );
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function refuse(message: string): ReturnType<typeof failure> {
  return failure({ code: "ERR_SCHEMA_VALIDATION", path: [], message });
}
