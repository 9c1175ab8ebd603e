import { findLines } from "../patch/find-lines.ts";
import type { ChangeHunk, ChangeLine } from "./file-change.ts";

/** Lines of a file that are replaced: from `start` up to but not including `end`. */
export interface LineReplacement {
  start: number;
  end: number;
  lines: string[];
}

/** Where a hunk fits: the replacements of each place, or why it has none. */
type Placement =
  | { places: LineReplacement[][] }
  | { places: undefined; reason: "missing" | "ambiguous" | "unchecked" };

type Sameness = (line: string) => string;

/** How lines are compared, the strictest first; a looser one counts only where no place fits a stricter one. */
const SAMENESS: readonly Sameness[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];
/** Lines of context that an answer may have lost between two others that it gives. */
const MAX_LOST = 2;
const MAX_PLACES = 16;
/** Upper bound of lines compared to find one hunk with lost lines: a hostile file repeats the first of them. */
const MAX_COMPARED = 2_000_000;

/**
 * Finds where the hunks of a file belong: each where its old lines stand, all in order. Without an exact place, spaces at the
 * ends of lines and lost lines of context are forgiven, but never a line that differs; several ways to place them are none.
 */
export function placeHunks(
  file: readonly string[],
  hunks: readonly ChangeHunk[],
): LineReplacement[] | { hunk: number; reason: "missing" | "ambiguous" | "unchecked" } {
  const found = hunks.map((hunk) => placesOf(file, hunk));
  const failed = found.findIndex(({ places }) => places === undefined);
  const failure = found[failed];
  if (failure?.places === undefined && failure !== undefined)
    return { hunk: failed, reason: failure.reason };
  const all = found.map(({ places }) => places ?? []);
  const earliest = inOrder(all);
  const latest = inOrder(all.map((places) => places.toReversed()).toReversed(), true)?.toReversed();
  if (earliest === undefined || latest === undefined)
    return {
      hunk: all.findIndex((_, index) => inOrder(all.slice(0, index + 1)) === undefined),
      reason: "missing",
    };
  const open = earliest.findIndex((place, index) => place !== latest[index]);
  return open < 0 ? earliest.flat() : { hunk: open, reason: "ambiguous" };
}

/** The first choice of one place for each that keeps their order; `isBackward` reads the file from its end. */
function inOrder(
  all: readonly LineReplacement[][][],
  isBackward = false,
): LineReplacement[][] | undefined {
  const chosen: LineReplacement[][] = [];
  let bound = isBackward ? Infinity : 0;
  for (const places of all) {
    const next = places.find((place) =>
      isBackward ? endOf(place) <= bound : (place[0]?.start ?? 0) >= bound,
    );
    if (next === undefined) return undefined;
    chosen.push(next);
    bound = isBackward ? (next[0]?.start ?? 0) : endOf(next);
  }
  return chosen;
}

function endOf(place: readonly LineReplacement[]): number {
  return place.at(-1)?.end ?? 0;
}

function placesOf(file: readonly string[], hunk: ChangeHunk): Placement {
  const old = hunk.lines.filter(({ mark }) => mark !== "+");
  if (old.every(({ text }) => text.trim() === ""))
    return file.length === 0
      ? { places: [replacementsAt(file, hunk, { at: 0 })] }
      : { places: undefined, reason: "unchecked" };
  const range = rangeUnder(file, hunk.under);
  const exact = findLines(
    file,
    old.map(({ text }) => text),
    1,
  );
  // Lines that stay may lack their mark, so that their own first space was taken for it.
  const unmarked = old.map(({ text, whole = text }) => whole);
  if (exact.length === 0 && findLines(file, unmarked, 1).length > 0)
    return placesOf(file, {
      ...hunk,
      lines: hunk.lines.map(({ mark, text, whole = text }) => ({ mark, text: whole })),
    });
  for (const same of SAMENESS) {
    const wanted = old.map(({ text }) => same(text));
    const lines = file.map(same);
    const starts = findLines(lines, wanted, MAX_PLACES).filter((at) => at >= range);
    const stated = starts.includes(hunk.statedAt ?? -1) ? hunk.statedAt : undefined;
    const chosen = stated === undefined ? starts : [stated];
    const places = chosen.flatMap((at) => {
      const place = replacementsAt(file, hunk, { at, same });
      return place.length > 0 ? [place] : [];
    });
    if (places.length > 0) return { places };
    if (chosen.length > 0) return { places: undefined, reason: "missing" };
  }
  return placeWithLost(file, hunk, range);
}

/** The first line that the hunk may stand at: the one that its header names. */
function rangeUnder(file: readonly string[], under: string | undefined): number {
  // A header that names no line of the file, as that of git may, says nothing.
  return Math.max(
    0,
    file.findIndex((line) => line.trim() === under),
  );
}

interface At {
  at: number;
  same?: Sameness | undefined;
  /** How many lines of the file stand between this old line and the one before it that the hunk lost. */
  lostBefore?: ReadonlyMap<number, number> | undefined;
}

/** The replacements that a hunk makes at a place; none if its new lines can't be indented as the file is. */
function replacementsAt(
  file: readonly string[],
  hunk: ChangeHunk,
  { at, same, lostBefore = new Map() }: At,
): LineReplacement[] {
  const indent = same === SAMENESS[2] ? indentOf(file, hunk, at) : "";
  if (indent === undefined) return [];
  const found: LineReplacement[] = [];
  let line = at;
  let old = 0;
  let open: LineReplacement | undefined;
  for (const { mark, text } of hunk.lines) {
    if (mark !== "+") line += lostBefore.get(old) ?? 0;
    if (mark === " ") open = undefined;
    else {
      if (open === undefined) {
        open = { start: line, end: line, lines: [] };
        found.push(open);
      }
      if (mark === "+") open.lines.push(text === "" ? text : indent + text);
      else open.end = line + 1;
    }
    if (mark === "+") continue;
    line += 1;
    old += 1;
  }
  return found;
}

/** What all lines of the hunk lack at their start; undefined where they lack different things. */
function indentOf(file: readonly string[], hunk: ChangeHunk, at: number): string | undefined {
  const old = hunk.lines.filter(({ mark }) => mark !== "+");
  const removed = old.flatMap(({ mark, text }, index) =>
    mark === "-" ? [[text, index] as const] : [],
  );
  // New lines are indented as the old ones that they replace.
  if (removed.length > 0 && removed.every(([text, index]) => file[at + index] === text)) return "";
  let indent: string | undefined;
  for (const [index, { text }] of old.entries()) {
    const line = file[at + index] ?? "";
    if (line.trim() === "") continue;
    const bare = text.trimEnd();
    if (!line.trimEnd().endsWith(bare)) return undefined;
    const lacking = line.trimEnd().slice(0, line.trimEnd().length - bare.length);
    if (indent !== undefined && indent !== lacking) return undefined;
    indent = lacking;
  }
  return indent ?? "";
}

/** A line of context was lost: its neighbours in the hunk are context too, so that nothing new could stand beside it. */
function placeWithLost(file: readonly string[], hunk: ChangeHunk, range: number): Placement {
  const old = hunk.lines.filter(({ mark }) => mark !== "+");
  const mayLose = betweenContext(hunk.lines);
  const [first] = old;
  if (first === undefined || mayLose.size === 0) return { places: undefined, reason: "missing" };
  const places: LineReplacement[][] = [];
  let tries = Math.floor(MAX_COMPARED / old.length);
  for (let at = range; at < file.length; at += 1) {
    if (file[at] !== first.text) continue;
    tries -= 1;
    if (tries < 0) return { places: undefined, reason: "ambiguous" };
    const lostBefore = alignAt(file, old, { at, mayLose });
    if (lostBefore !== undefined) places.push(replacementsAt(file, hunk, { at, lostBefore }));
    if (places.length > MAX_PLACES) break;
  }
  return places.length > 0 ? { places } : { places: undefined, reason: "missing" };
}

/** Indexes of old lines before which the file may have lines that the hunk lost. */
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
