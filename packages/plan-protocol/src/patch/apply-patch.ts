import { failure, type Result, success } from "@ccl/core";

import { findLines } from "./find-lines.ts";
import { type Hunk, type HunkLine, parsePatch } from "./parse-patch.ts";

/** A text with a patch applied. */
export interface PatchedText {
  text: string;
  /** Indexes of hunks whose counts or line numbers were wrong and which fit in exactly one place all the same. */
  relocatedHunks: number[];
}

/** A text as a patch sees it: the last line has an end or not. */
interface Lines {
  texts: string[];
  endsWithLineEnd: boolean;
}

interface Placed {
  hunk: Hunk;
  /** Index of the first line. */
  at: number;
}

const BYTE_ORDER_MARK = "\ufeff";

/**
 * Applies a unified diff exactly: each hunk stands where its header says, or, with wrong counts or numbers, in the one place
 * where all its old lines stand. Never fuzzy: otherwise `ERR_PATCH_APPLY_FAILED`, with the index of the hunk as path, or
 * `ERR_PATCH_NOT_UNIFIED`. Where the patch has no carriage returns but the file has, line ends of the file are kept, and
 * so is a byte order mark.
 */
export function applyPatch(base: string, patch: string): Result<PatchedText> {
  const hunks = parsePatch(patch);
  if (!hunks.ok) return hunks;
  const exact = applyHunks(splitLines(base), hunks.value);
  if (exact.ok) return exact;
  const hasReturns = hunks.value.some((hunk) =>
    hunk.lines.some((line) => line.text.endsWith("\r")),
  );
  const mark = base.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const isPlain = mark === "" && !base.includes("\r\n");
  if (hasReturns || isPlain || base.endsWith("\r")) return exact;
  const relaxed = applyWithoutReturns(base.slice(mark.length), hunks.value);
  return relaxed.ok ? success({ ...relaxed.value, text: mark + relaxed.value.text }) : exact;
}

/** For a patch that a model wrote from text whose carriage returns it did not see; lines that are added take their neighbour's end. */
function applyWithoutReturns(base: string, hunks: readonly Hunk[]): Result<PatchedText> {
  const { texts, endsWithLineEnd } = splitLines(base);
  const bare = texts.map((text) => (text.endsWith("\r") ? text.slice(0, -1) : text));
  const returns = (at: number): string => {
    const neighbour = texts[Math.min(Math.max(at, 0), texts.length - 1)] ?? "";
    const isLast = at >= texts.length - 1 && !endsWithLineEnd;
    return (isLast ? (texts[0] ?? "") : neighbour).endsWith("\r") ? "\r" : "";
  };
  return applyHunks({ texts: bare, endsWithLineEnd }, hunks, {
    // What stands last without a line end may get lines after it; where it stays last, the return goes again.
    keep: (at) =>
      at < texts.length - 1 || endsWithLineEnd ? (texts[at] ?? "") : (bare[at] ?? "") + returns(at),
    add: (text, at) => text + returns(at),
  });
}

/** How lines of the file and of the patch come out; `at` is the index in the file of the line before. */
interface Rendering {
  keep(at: number): string;
  add(text: string, at: number): string;
}

function applyHunks(
  base: Lines,
  hunks: readonly Hunk[],
  rendering?: Rendering,
): Result<PatchedText> {
  const placed = placeHunks(base, hunks);
  if (!placed.ok) return placed;
  const { keep, add } = rendering ?? {
    keep: (at: number) => base.texts[at] ?? "",
    add: (text: string) => text,
  };
  const result: string[] = [];
  let from = 0;
  let endsWithLineEnd = base.endsWithLineEnd;
  for (const { hunk, at } of placed.value) {
    for (; from < at; from += 1) result.push(keep(from));
    for (const line of hunk.lines) {
      if (line.kind === "added") result.push(add(line.text, from - 1));
      if (line.kind === "context") result.push(keep(from));
      if (line.kind !== "added") from += 1;
    }
    if (from === base.texts.length) endsWithLineEnd = lineEndAfter(hunk, base.endsWithLineEnd);
  }
  for (; from < base.texts.length; from += 1) result.push(keep(from));
  const text = joinLines(result, endsWithLineEnd, rendering !== undefined);
  const relocatedHunks = placed.value.flatMap(({ hunk, at }, index) =>
    hunk.isCountRight && at === statedIndex(hunk) ? [] : [index],
  );
  return success({ text, relocatedHunks });
}

/** Whether the file ends in a line end after the hunk that changes its end; without any mark it stays as it was. */
function lineEndAfter(hunk: Hunk, before: boolean): boolean {
  const isMarked = hunk.lines.some((line) => !line.hasLineEnd);
  if (!isMarked) return before || oldLines(hunk).length === 0;
  return hunk.lines.findLast((line) => line.kind !== "removed")?.hasLineEnd ?? true;
}

function placeHunks(base: Lines, hunks: readonly Hunk[]): Result<Placed[]> {
  const placed: Placed[] = [];
  let from = 0;
  for (const [index, hunk] of hunks.entries()) {
    const at = placeHunk(base, hunk);
    if (typeof at === "string") return refuse(index, at);
    if (at < from) return refuse(index, "stands before the end of the hunk above it");
    placed.push({ hunk, at });
    from = at + oldLines(hunk).length;
  }
  return success(placed);
}

function placeHunk(base: Lines, hunk: Hunk): number | string {
  const old = oldLines(hunk);
  if (old.length === 0) {
    // Nothing in such a hunk shows where it belongs, but in an empty file there is one place only.
    return base.texts.length === 0
      ? 0
      : "has no line of the file, so its place cannot be checked; give lines of context";
  }
  const stated = statedIndex(hunk);
  const wanted = old.map((line) => line.text);
  const isAt = (at: number): boolean =>
    fitsEnd(base, at, old) && wanted.every((text, i) => text === base.texts[at + i]);
  if (hunk.isCountRight && isAt(stated)) return stated;
  const places = findLines(base.texts, wanted, 3).filter((at) => fitsEnd(base, at, old));
  const [only, ...others] = places;
  if (only === undefined)
    return "does not stand in the file: its old lines are not there as they are written";
  return others.length === 0 ? only : "stands in several places; give more lines of context";
}

/** Whether the marks for a missing line end agree with the file's end. A patch without marks says nothing about it. */
function fitsEnd(base: Lines, at: number, old: readonly HunkLine[]): boolean {
  const isAtEnd = at + old.length === base.texts.length;
  return old.every(
    (line, index) =>
      line.hasLineEnd || (isAtEnd && index === old.length - 1 && !base.endsWithLineEnd),
  );
}

function oldLines(hunk: Hunk): HunkLine[] {
  return hunk.lines.filter((line) => line.kind !== "added");
}

function statedIndex(hunk: Hunk): number {
  return Math.max(hunk.oldStart - 1, 0);
}

function splitLines(text: string): Lines {
  if (text === "") return { texts: [], endsWithLineEnd: true };
  const texts = text.split("\n");
  const endsWithLineEnd = texts.at(-1) === "";
  if (endsWithLineEnd) texts.pop();
  return { texts, endsWithLineEnd };
}

function joinLines(
  lines: readonly string[],
  endsWithLineEnd: boolean,
  hasOwnReturns: boolean,
): string {
  if (lines.length === 0) return "";
  const text = lines.join("\n");
  if (endsWithLineEnd) return `${text}\n`;
  return hasOwnReturns && text.endsWith("\r") ? text.slice(0, -1) : text;
}

function refuse(index: number, reason: string): Result<never> {
  return failure({
    code: "ERR_PATCH_APPLY_FAILED",
    path: [index],
    message: `Hunk ${index + 1} ${reason}.`,
  });
}
