import { isRecord, numberAt, stringAt } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { CountedUsage } from "./safety-margin.ts";

/** The state of one conversation with one budget, as plain JSON. Always pass the state returned by the last call. */
export interface FitState {
  version: 2;
  /** The frozen cut. Undefined until the first cut. */
  cut?: FrozenCut | undefined;
  /** Fingerprints of the last prompt's messages, in order. */
  shown: string[];
  /** The fingerprint of the last prompt's tools. */
  tools: string;
  /** Token counts of the last prompts, and the provider's reports for them, oldest first. */
  usages?: CountedUsage[] | undefined;
}

/**
 * The units dropped by a cut. A unit is a call with its results, or any other message after the leading system
 * messages.
 */
export interface FrozenCut {
  /** Index of the first unit of the shown tail. */
  from: number;
  /** Indexes of units before `from` that are still shown, ascending. */
  kept: number[];
  /** The text for each dropped range of units, in order. */
  markers: string[];
  /** Replacement texts for messages, by `textKey`. */
  texts: Record<string, string>;
  /** The fingerprint of the unit before `from`. Empty at the start. */
  anchor: string;
}

/** Checks a state, which may come from a store. Throws `invalid_state`. */
export function requireState(state: unknown): FitState {
  if (isState(state)) return state;
  const problem = problemOf(state);
  const message = `This is not a state of fitMessages (${problem}); pass a state that it returned, or none.`;
  throw new ContextCompilerError("invalid_state", message, { details: { problem } });
}

function problemOf(state: unknown): string {
  if (!isRecord(state)) return "it is not an object";
  if (state["version"] !== 2) return "its version is not 2";
  return "its cut or its fingerprints are damaged";
}

function isState(state: unknown): state is FitState {
  if (!isRecord(state)) return false;
  const { version, shown, tools, usages, cut } = state;
  if (version !== 2) return false;
  const hasUsages = usages === undefined || isList(usages, isUsage);
  return isList(shown, isText) && isText(tools) && hasUsages && (cut === undefined || isCut(cut));
}

function isUsage(usage: unknown): usage is CountedUsage {
  const numbers = [numberAt(usage, "countedTokens"), numberAt(usage, "inputTokens")];
  return stringAt(usage, "counter") !== undefined && numbers.every(isCount);
}

function isCut(cut: unknown): cut is FrozenCut {
  if (!isRecord(cut)) return false;
  const { from, kept, markers, texts, anchor } = cut;
  if (!isCount(from) || !isRecord(texts) || !Object.values(texts).every(isText)) return false;
  if (!isText(anchor) || !isList(markers, isText) || !isList(kept, isCount)) return false;
  const isAscending = kept.every((unit, index) => unit < from && unit > (kept[index - 1] ?? -1));
  return isAscending && markers.length === droppedRanges(from, kept).length;
}

/** Returns the ranges of dropped units before `from`, in order. */
export function droppedRanges(
  from: number,
  kept: readonly number[],
): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  let start = 0;
  for (const unit of [...kept, from]) {
    if (unit > start) ranges.push({ from: start, to: unit });
    start = unit + 1;
  }
  return ranges;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

function isList<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem);
}
