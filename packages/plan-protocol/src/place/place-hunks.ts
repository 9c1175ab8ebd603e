import { findLines } from "./find-lines.ts";
import type { ChangeHunk, ChangeLine } from "./file-change.ts";
import { indentationOf, type Reindent } from "./indentation-of.ts";

/** Lines of a file to replace. `end` is exclusive. */
interface LineReplacement {
  start: number;
  end: number;
  lines: string[];
  /** True if the file ends without a line ending. Undefined if the hunk does not say. */
  isOpen?: boolean | undefined;
}

/** Why a hunk cannot be placed. */
export type NoPlace = "missing" | "ambiguous" | "unchecked";

/** The hunks' places, and any error forgiven for each. */
export interface PlacedHunks {
  replacements: LineReplacement[];
  slips: string[];
}

interface Place {
  replacements: LineReplacement[];
  slip?: string | undefined;
}

type Placement = { places: Place[] } | { places: undefined; reason: NoPlace };

interface Sameness {
  of(line: string): string;
  slip?: string | undefined;
}

const TRIMMED: Sameness = {
  of: (line) => line.trim(),
  slip: "its lines were indented as those of the file",
};
/** Ways to compare lines, strictest first. A looser one is used only if the stricter ones find no place. */
const SAMENESS: readonly Sameness[] = [
  { of: (line) => line },
  { of: (line) => line.trimEnd(), slip: "blanks at line ends were passed over" },
  TRIMMED,
];
/** Maximum context lines that an answer may omit between two that it includes. */
const MAX_LOST = 2;
/** Maximum lines of all places of one hunk, or the lines of `MAX_PLACES` places. */
const MAX_PLACED = 4_000;
const MAX_PLACES = 16;
/** Maximum comparisons for one hunk with missing lines. A hostile file repeats the hunk's first line. */
const MAX_COMPARED = 2_000_000;

/**
 * Finds where each hunk's old lines occur in a file, with all hunks in order. Without an exact match, forgives
 * incorrect indentation, whitespace at line ends and missing context lines, but no other difference. Returns no place
 * if several placements are possible.
 */
export function placeHunks(
  file: readonly string[],
  hunks: readonly ChangeHunk[],
): PlacedHunks | { hunk: number; reason: NoPlace } {
  const found = hunks.map((hunk) => placesOf(file, hunk));
  for (const [hunk, one] of found.entries())
    if (one.places === undefined) return { hunk, reason: one.reason };
  const all = found.map(({ places }) => places ?? []);
  const earliest = inOrder(all);
  const latest = inOrder(all.map((places) => places.toReversed()).toReversed(), true)?.toReversed();
  if (earliest === undefined || latest === undefined)
    return {
      hunk: all.findIndex((_, index) => inOrder(all.slice(0, index + 1)) === undefined),
      reason: "missing",
    };
  const open = earliest.findIndex((place, index) => place !== latest[index]);
  if (open >= 0) return { hunk: open, reason: "ambiguous" };
  return {
    replacements: earliest.flatMap(({ replacements }) => replacements),
    slips: earliest.flatMap(({ slip }, index) =>
      slip === undefined ? [] : `Hunk ${index + 1}: ${slip}.`,
    ),
  };
}

/** Chooses the first place for each hunk that preserves the order. `isBackward` reads the file from the end. */
function inOrder(all: readonly Place[][], isBackward = false): Place[] | undefined {
  const chosen: Place[] = [];
  let bound = isBackward ? Infinity : 0;
  for (const places of all) {
    const next = places.find(({ replacements }) =>
      isBackward
        ? (replacements.at(-1)?.end ?? 0) <= bound
        : (replacements[0]?.start ?? 0) >= bound,
    );
    if (next === undefined) return undefined;
    chosen.push(next);
    const { replacements } = next;
    bound = isBackward ? (replacements[0]?.start ?? 0) : (replacements.at(-1)?.end ?? 0);
  }
  return chosen;
}

function placesOf(file: readonly string[], hunk: ChangeHunk): Placement {
  const old = hunk.lines.filter(({ mark }) => mark !== "+");
  if (old.every(({ text }) => text.trim() === ""))
    return file.length === 0
      ? { places: [placeAt(file, hunk, { at: 0 })].filter((place) => place !== undefined) }
      : { places: undefined, reason: "unchecked" };
  const exact = findLines(
    file,
    old.map(({ text }) => text),
  );
  // Unchanged lines may lack their marker, so that their own leading space was mistaken for it.
  const unmarked = old.map(({ text, whole = text }) => whole);
  if (exact.length === 0 && findLines(file, unmarked).length > 0)
    return placesOf(file, {
      ...hunk,
      lines: hunk.lines.map(({ mark, text, whole = text }) => ({ mark, text: whole })),
    });
  const scopes = scopesUnder(file, hunk.under ?? []);
  const from = scopes[0]?.start ?? 0;
  for (const same of SAMENESS) {
    const wanted = old.map(({ text }) => same.of(text));
    const starts = findLines(file.map(same.of), wanted).filter((at) => at >= from);
    const inside = starts.filter((at) =>
      scopes.some(({ start, end }) => at >= start && at + old.length <= end),
    );
    const stated = starts.filter((at) => at === hunk.statedAt);
    const chosen = [stated, inside, starts].find(({ length }) => length > 0) ?? [];
    if (chosen.length > Math.max(MAX_PLACES, MAX_PLACED / old.length))
      return { places: undefined, reason: "ambiguous" };
    const places = chosen.flatMap((at) => placeAt(file, hunk, { at, same }) ?? []);
    if (places.length > 0) return { places };
    if (chosen.length > 0) return { places: undefined, reason: "missing" };
  }
  return placeWithLost(file, hunk, from);
}

interface Scope {
  start: number;
  end: number;
}

/**
 * Finds the blocks below a hunk's headers, by indentation. Headers that match no line are ignored, since git's headers
 * may not match.
 */
function scopesUnder(file: readonly string[], under: readonly string[]): Scope[] {
  let scopes: Scope[] = [{ start: 0, end: file.length }];
  for (const header of under) {
    const inner = scopes.flatMap(({ start, end }) =>
      file
        .slice(start, end)
        .flatMap((line, index) => (line.trim() === header ? [scopeAt(file, start + index)] : [])),
    );
    if (inner.length > 0) scopes = inner;
  }
  return scopes;
}

function scopeAt(file: readonly string[], start: number): Scope {
  const depthOf = (line = ""): number => line.search(/\S/);
  const depth = depthOf(file[start]);
  let end = start + 1;
  while (end < file.length && (depthOf(file[end]) < 0 || depthOf(file[end]) > depth)) end += 1;
  // A line that closes the block belongs to it.
  return { start, end: /^\s*[\])}]/.test(file[end] ?? "") ? end + 1 : end };
}

interface At {
  at: number;
  same?: Sameness | undefined;
  /** Number of file lines that the hunk omitted before each old line. */
  lostBefore?: ReadonlyMap<number, number> | undefined;
}

/**
 * Returns the replacements of a hunk whose place is known. Undefined if its new lines cannot be converted to the file's
 * indentation.
 */
export function placeAt(
  file: readonly string[],
  hunk: ChangeHunk,
  { at, same, lostBefore }: At,
): Place | undefined {
  const reindent = same === TRIMMED ? reindentAt(file, hunk, at) : (text: string) => text;
  if (reindent === undefined) return undefined;
  const replacements: LineReplacement[] = [];
  let line = at;
  let old = 0;
  let open: LineReplacement | undefined;
  for (const { mark, text } of hunk.lines) {
    if (mark !== "+") line += lostBefore?.get(old) ?? 0;
    if (mark === " ") open = undefined;
    else {
      if (open === undefined) {
        open = { start: line, end: line, lines: [] };
        replacements.push(open);
      }
      const added = mark === "+" ? reindent(text) : "";
      if (added === undefined) return undefined;
      if (mark === "+") open.lines.push(added);
      else open.end = line + 1;
    }
    if (mark === "+") continue;
    line += 1;
    old += 1;
  }
  const last = replacements.at(-1);
  if (last !== undefined && line === file.length) last.isOpen = opennessAfter(hunk);
  const slip = lostBefore === undefined ? same?.slip : "lines of context that it lacks were kept";
  return { replacements, slip };
}

/** True if the file has no line ending after the hunk. Undefined if no line says. */
function opennessAfter({ lines }: ChangeHunk): boolean | undefined {
  if (!lines.some(({ isOpen }) => isOpen === true)) return undefined;
  return lines.findLast(({ mark }) => mark !== "-")?.isOpen === true;
}

function reindentAt(file: readonly string[], hunk: ChangeHunk, at: number): Reindent | undefined {
  const old = hunk.lines.filter(({ mark }) => mark !== "+");
  const removed = old.flatMap(({ mark, text }, index) =>
    mark === "-" ? [[text, index] as const] : [],
  );
  // New lines take the indentation of the old lines they replace.
  if (removed.length > 0 && removed.every(([text, index]) => file[at + index] === text))
    return (text) => text;
  return indentationOf(old.map(({ text }, index) => [text, file[at + index] ?? ""]));
}

/**
 * Places a hunk with missing context lines. A missing line's neighbours must be context too, so that no new line could
 * belong next to it.
 */
function placeWithLost(file: readonly string[], hunk: ChangeHunk, from: number): Placement {
  const old = hunk.lines.filter(({ mark }) => mark !== "+");
  const mayLose = betweenContext(hunk.lines);
  const [first] = old;
  if (first === undefined || mayLose.size === 0) return { places: undefined, reason: "missing" };
  const places: Place[] = [];
  let tries = Math.floor(MAX_COMPARED / old.length);
  for (let at = from; at < file.length; at += 1) {
    if (file[at] !== first.text) continue;
    tries -= 1;
    if (tries < 0) return { places: undefined, reason: "ambiguous" };
    const lostBefore = alignAt(file, old, { at, mayLose });
    const place = lostBefore === undefined ? undefined : placeAt(file, hunk, { at, lostBefore });
    if (place !== undefined) places.push(place);
    if (places.length > MAX_PLACES) return { places: undefined, reason: "ambiguous" };
  }
  return places.length > 0 ? { places } : { places: undefined, reason: "missing" };
}

/** Returns indexes of old lines before which the hunk may lack file lines. */
function betweenContext(lines: readonly ChangeLine[]): Set<number> {
  const found = new Set<number>();
  let old = 0;
  for (const [index, { mark }] of lines.entries()) {
    if (mark === " " && lines[index - 1]?.mark === " ") found.add(old);
    if (mark !== "+") old += 1;
  }
  return found;
}

function alignAt(
  file: readonly string[],
  old: readonly ChangeLine[],
  { at, mayLose }: { at: number; mayLose: ReadonlySet<number> },
): Map<number, number> | undefined {
  const lost = new Map<number, number>();
  let line = at;
  let total = 0;
  for (const [index, { text }] of old.entries()) {
    let skipped = 0;
    while (mayLose.has(index) && total + skipped < MAX_LOST && file[line + skipped] !== text)
      skipped += 1;
    if (file[line + skipped] !== text) return undefined;
    if (skipped > 0) lost.set(index, skipped);
    total += skipped;
    line += skipped + 1;
  }
  return lost;
}
