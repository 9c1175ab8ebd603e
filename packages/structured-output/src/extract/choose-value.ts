import { type Result, failure, success } from "@ccl/core";
import { isRecord, isSameJson, valueAt } from "@ccl/core/json";
import type { Repair } from "../repair/repair.ts";
import type { Candidate, FoundCandidates } from "./find-candidates.ts";
import { joinSequence } from "./join-sequence.ts";
import type { JsonSource } from "./extract-options.ts";

/** A value of an answer that fits the schema or the caller's test. */
export interface Fit<T> {
  value: T;
  /** The value before a schema library transformed it. Two values are compared by it. */
  json: unknown;
  /** Changes that were needed to make it fit. */
  steps: readonly Omit<Repair, "position">[];
}

/** Decides which value is the answer. */
export interface Choice<T> {
  /**
   * Returns the value if it fits. `digits` returns it with its numbers as written, if JavaScript prints them
   * differently.
   */
  fit: (value: unknown, digits: () => unknown) => Fit<T> | undefined;
  /** True if the requested value has this member, so that an object with it alone is not a wrapper. */
  isOwnKey?: ((key: string) => boolean) | undefined;
}

/** One way to read an answer. */
export interface Reading {
  value: unknown;
  repairs: readonly Repair[];
  source: Omit<JsonSource, "path">;
  digits?: (() => unknown) | undefined;
}

/** The chosen value, its repairs and its source. */
export interface Chosen<T> {
  value: T;
  repairs: Repair[];
  source: JsonSource;
}

/** With more separate values, the text is about JSON. */
const MAX_VALUES = 2000;

/** Takes the value of a reading if it fits, else the value inside objects and lists with a single member. */
export function chosenFrom<T>(
  { value, repairs, source, digits }: Reading,
  { fit, isOwnKey }: Choice<T>,
): (Chosen<T> & Pick<Fit<T>, "json">) | undefined {
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
 * Takes all values as one list if that fits, else the only one that fits. If two fit and differ, the answer is
 * refused, since only the model can decide.
 */
export function chooseValue<T>(
  text: string,
  { candidates, broken }: FoundCandidates,
  choice: Choice<T>,
): Result<Chosen<T>> {
  const sequence = joinSequence(text, candidates);
  const whole = sequence && chosenFrom(toReading(sequence), choice);
  const isList = whole?.repairs.every(({ kind }) => kind !== "schema_list");
  if (whole !== undefined && isList === true) return success(whole);
  // A footnote mark such as `[1]`, or an empty bracket in prose, counts only if nothing else fits.
  const weighty = sequence
    ? candidates
    : candidates.filter((candidate) => !isSlight(text, candidate));
  if (candidates.length > MAX_VALUES)
    return refuse(`The answer holds more than ${MAX_VALUES} values. Give one.`);
  const found = fitting(weighty, choice);
  const [last, ...rivals] = (found.length > 0 ? found : fitting(candidates, choice)).reverse();
  if (last === undefined)
    return refuse("The answer holds JSON, but no value in it fits what was asked for.");
  const { chosen, candidate } = last;
  const after = broken.find(({ position, isInFence }) => isInFence && position > candidate.end);
  const later = weighty.find(
    (other) => other.start > candidate.end && isRival(other, candidate, chosen),
  );
  const rival = after?.position ?? later?.start;
  if (rival !== undefined)
    return refuse(
      `A value fits, but the one after it, at offset ${rival}, does not. Give one value.`,
    );
  const other = rivals.find((one) => !isSameJson(one.chosen.json, chosen.json));
  if (other === undefined) return success(chosen);
  const start = rivals.reduce((end, one) => Math.max(end, one.candidate.end), 0);
  if (candidate.zone !== "fence" || !saysFinal(text.slice(start, candidate.start)))
    return refuse(
      `The answer holds two different values that fit, at offsets ${other.candidate.start} and ${candidate.start}. Give one.`,
    );
  const draft: Repair = { kind: "draft", position: other.candidate.start };
  return success({ ...chosen, repairs: [draft, ...chosen.repairs] });
}

function saysFinal(between: string): boolean {
  return /\bfinal\b/i.test(between) && !/\bnot\b/i.test(between);
}

function fitting<T>(
  candidates: readonly Candidate[],
  choice: Choice<T>,
): { candidate: Candidate; chosen: Chosen<T> & { json: unknown } }[] {
  return candidates.flatMap((candidate) => {
    const chosen = chosenFrom(toReading(candidate), choice);
    return chosen === undefined ? [] : [{ candidate, chosen }];
  });
}

// A later value with the same members may be the answer, and the one that fits only a draft.
function isRival<T>(
  { value }: Candidate,
  { value: taken }: Candidate,
  { json }: { json: unknown; value: T },
): boolean {
  if (!isRecord(value) || !isRecord(taken) || isSameJson(value, taken)) return false;
  return isRecord(json) && Object.keys(value).some((key) => Object.hasOwn(json, key));
}

function toReading({ value, repairs, zone, start, end, digits }: Candidate): Reading {
  return { value, repairs, source: { kind: zone, start, end }, digits };
}

function isSlight(text: string, { value, start }: Candidate): boolean {
  if (!Array.isArray(value)) return isContainer(value) && Object.keys(value).length === 0;
  const isSubscript = /[\p{L}\p{N}_)\]]/u.test(text.charAt(start - 1)) && !isContainer(value[0]);
  return value.length < 2 && (value.length === 0 || typeof value[0] === "number" || isSubscript);
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function refuse(message: string): ReturnType<typeof failure> {
  return failure({ code: "ERR_SCHEMA_VALIDATION", path: [], message });
}
