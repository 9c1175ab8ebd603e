import type { TokenCounter } from "@ccl/core";

import type { GetAliasOutput } from "../registry/alias-registry.ts";

/** Size limit for a text. */
export interface TextBounds {
  maxTokens: number;
  counter: TokenCounter;
}

/** A range of lines in a file, 1-based and inclusive. 1 to 0 for an empty file. */
interface LineRange {
  first: number;
  last: number;
}

/** The text to cut. */
interface CutInput {
  alias: string;
  allLines: readonly string[];
  range: LineRange;
  endsWithLineFeed: boolean;
}

/** More than in ordinary text. Longer texts are truncated before counting their tokens, which takes time. */
const MAX_CHARACTERS_PER_TOKEN = 16;

type Cut = Pick<GetAliasOutput, "text" | "firstLine" | "lastLine" | "next">;

/**
 * Parses validated input such as "10-40", "10-" or "7" (all lines if absent) and clips it to the
 * file. Returns undefined if it starts after the end of the file.
 */
export function lineRangeOf(lines: string | undefined, totalLines: number): LineRange | undefined {
  if (lines === undefined) return { first: 1, last: totalLines };
  const [from = "", to] = lines.split("-");
  const first = Number(from);
  if (first > totalLines) return undefined;
  const last = to === undefined ? first : to === "" ? totalLines : Number(to);
  return { first, last: Math.min(last, totalLines) };
}

/**
 * Truncates to as many whole lines as fit, plus a closing line about the rest. Returns undefined if
 * not even that line fits.
 */
export function cutToFit(input: CutInput, bounds: TextBounds): Cut | undefined {
  const { allLines, range } = input;
  const { first, last } = range;
  const maxCharacters = bounds.maxTokens * MAX_CHARACTERS_PER_TOKEN;
  const reachable = lastWithin(allLines, range, maxCharacters);
  if (reachable === last) {
    const text = renderLines(input, last);
    if (fits(text, bounds)) return { text, firstLine: first, lastLine: last };
  }
  const lastLine = largestFitting(first, Math.min(reachable, last - 1), (line) =>
    fits(renderLines(input, line), bounds),
  );
  if (lastLine >= first)
    return { text: renderLines(input, lastLine), ...endingAt(range, lastLine) };
  const longest = Math.min((allLines[first - 1] ?? "").length - 1, maxCharacters);
  const length = largestFitting(1, longest, (count) => fits(renderCutLine(input, count), bounds));
  return length < 1 ? undefined : { text: renderCutLine(input, length), ...endingAt(range, first) };
}

/** Returns the last line up to which the range has no more than `maxCharacters` code units. */
function lastWithin(
  allLines: readonly string[],
  { first, last }: LineRange,
  maxCharacters: number,
): number {
  let length = 0;
  for (let line = first; line <= last; line += 1) {
    length += (allLines[line - 1] ?? "").length;
    if (length > maxCharacters) return line - 1;
  }
  return last;
}

/** Renders the range up to `lastLine`, with a hint for requesting the remaining lines. */
function renderLines(
  { alias, allLines, range, endsWithLineFeed }: CutInput,
  lastLine: number,
): string {
  const text = allLines.slice(range.first - 1, lastLine).join("\n");
  const missing = range.last - lastLine;
  if (missing > 0)
    return `${text}\n... +${missing} lines, get_alias("${alias}", lines ${rangeText(lastLine + 1, range.last)})\n`;
  return lastLine < allLines.length || (endsWithLineFeed && allLines.length > 0)
    ? `${text}\n`
    : text;
}

/** Renders the start of a first line that is too long to fit. Never cuts inside a surrogate pair. */
function renderCutLine({ alias, allLines, range }: CutInput, length: number): string {
  const line = allLines[range.first - 1] ?? "";
  const start = line.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
  const missing = range.last - range.first;
  const rest =
    missing > 0
      ? ` and +${missing} lines, get_alias("${alias}", lines ${rangeText(range.first + 1, range.last)})`
      : "";
  return `${start}\n... +${line.length - start.length} characters of line ${range.first}, which is too long to show${rest}\n`;
}

function endingAt({ first, last }: LineRange, lastLine: number): Omit<Cut, "text"> {
  const ending = { firstLine: first, lastLine };
  return lastLine < last ? { ...ending, next: { lines: rangeText(lastLine + 1, last) } } : ending;
}

function rangeText(first: number, last: number): string {
  return `${first}-${last}`;
}

function fits(text: string, { maxTokens, counter }: TextBounds): boolean {
  return counter.count(text) <= maxTokens;
}

/**
 * Returns the largest number from low to high that passes, or low - 1 if none does. Assumes that no
 * number passes above one that fails.
 */
function largestFitting(low: number, high: number, isFitting: (value: number) => boolean): number {
  let passed = low - 1;
  let failed = high + 1;
  while (failed - passed > 1) {
    const middle = Math.floor((passed + failed) / 2);
    if (isFitting(middle)) passed = middle;
    else failed = middle;
  }
  return passed;
}
