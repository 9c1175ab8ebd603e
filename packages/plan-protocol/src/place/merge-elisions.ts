import { diffLines } from "./diff-lines.ts";
import type { ChangeLine } from "./file-change.ts";

/** How much of a file a change gives: all of it, a quoted part and its new form, or every line that goes by a mark. */
export type ChangeForm = "whole" | "quoted" | "marked";

/** A line that stood for lines of the base, which are kept in its place. */
interface MergedElision {
  text: string;
  /** Of the base, from 1; both ends are included. */
  firstLine: number;
  lastLine: number;
}

/** New lines with every elision replaced by what it stands for, or the first that can't be: its line, from 1. */
export type MergedLines =
  | { lines: string[]; merged: MergedElision[] }
  | { line: number; text: string };

/** How comments of common languages begin, and remarks in brackets. */
const COMMENT =
  /^(?:\/\/|\/\*|<!--|\{\/\*|\{\{!--|\{#|@\*|\(\*|#(?=[\s.\u2026]|$)|--(?=[\s.\u2026])|[;%'](?=[\s.\u2026])|rem\s|[[(<][^()[\]<>{};="]*\s[^()[\]<>{};="]*[\])>]$)/i;
const DOTS = /\.{3}|\u2026/;
const LETTER = /[\p{L}\p{N}]/u;

/** What lines that stand for others look like. `bare` dots are code in some languages. */
type Look = "dotted" | "bare" | "comment";

function lookOf(line: string): Look | undefined {
  const text = line.trim();
  if (text.length > 200) return undefined;
  const before = /^[^\p{L}\p{N}]*/u.exec(text)?.[0] ?? "";
  const after = /[^\p{L}\p{N}]*$/u.exec(text)?.[0] ?? "";
  const isComment = COMMENT.test(text);
  if (!LETTER.test(text)) {
    if (!DOTS.test(text)) return undefined;
    return /^(?:\.{3,}|\u2026)$/.test(text) ? "bare" : "dotted";
  }
  if (isComment) return DOTS.test(before) || DOTS.test(after) ? "dotted" : "comment";
  return /^(?:\.{3,}|\u2026)\s/.test(text) ? "dotted" : undefined;
}

/** A comment of documentation on a line of code is about that line, whatever went above. */
function isDocumentation(line: string, next: string | undefined): boolean {
  const text = line.trim();
  return (
    /^(?:\/\*\*|\/\/\/)\s/.test(text) && !/\.{3}|\u2026/.test(text) && (next ?? "").trim() !== ""
  );
}

/** The first comment of a new file that begins with dots, which no base explains. */
export function elisionInNewFile(
  lines: readonly string[],
): { line: number; text: string } | undefined {
  const at = lines.findIndex((line) => {
    const [start = ""] = /^[^\p{L}\p{N}]*/u.exec(line.trim()) ?? [];
    return DOTS.test(start) && lookOf(line) === "dotted" && COMMENT.test(line.trim());
  });
  return at < 0 ? undefined : { line: at + 1, text: (lines[at] ?? "").trim() };
}

/** Lines that go while a line that looks like an elision comes, above which it is taken for one. */
const VANISHED: Readonly<Record<ChangeForm, Record<Look, number>>> = {
  whole: { dotted: 1, bare: 2, comment: 2 },
  quoted: { dotted: 1, bare: 2, comment: 2 },
  marked: { dotted: 1, bare: 2, comment: Infinity },
};
/** So many more lines go than come beside a comment that it does not explain the others. */
const MIN_LOSS = 5;
/** Words that two comments must share, so that neither is one of the few that stand for lines. */
const MIN_SHARED = 7;
const MAX_RUN = 100;

/**
 * Judges new lines against the old ones: a new comment, or dots, where lines vanish stands for them. It is replaced by the
 * lines between its neighbours where these stand exactly once in what is left of the old ones. Undefined where there is none.
 */
export function mergeElisions(
  old: readonly string[],
  fresh: readonly string[],
  form: ChangeForm,
): MergedLines | undefined {
  const known = new Set(old.map((line) => line.trim()));
  const pairs = pairsOf(old);
  let staying: ReadonlySet<number> | undefined;
  const stays = (): ReadonlySet<number> => (staying ??= staysWithoutLoss(old, fresh));
  const looks = fresh.map((line, at) => {
    const look = isDocumentation(line, fresh[at + 1]) ? undefined : lookOf(line);
    if (look === undefined || !known.has(line.trim())) return look;
    // Dots that the file has itself keep their neighbours, but for lines that are new.
    const isOwnAt = (first: number, neighbour: number): boolean | undefined => {
      const [pair = ""] = pairsOf(fresh.slice(first, first + 2));
      const beside = fresh[neighbour]?.trim();
      return pairs.has(pair) || (beside !== undefined && known.has(beside) ? false : undefined);
    };
    const [above, below] = [isOwnAt(Math.max(0, at - 1), at - 1), isOwnAt(at, at + 1)];
    const isOwn =
      above === undefined && below === undefined
        ? stays().has(at)
        : above !== false && below !== false;
    return look === "comment" || isOwn ? undefined : look;
  });
  if (looks.every((look) => look === undefined)) return undefined;
  const gaps = gapsOf(old, fresh, { looks, form });
  // What stands for lines in one place does in another, and bare dots are no line of a text that lost many.
  const texts = new Set([...gaps.keys()].map((at) => fresh[at]?.trim()));
  const isCut = old.length - fresh.length >= MIN_LOSS;
  const other = fresh.findIndex(
    (line, at) =>
      !gaps.has(at) &&
      (looks[at] === "bare" ? isCut : looks[at] !== undefined && texts.has(line.trim())),
  );
  const refusedAt = (at: number): MergedLines => ({ line: at + 1, text: (fresh[at] ?? "").trim() });
  if (other >= 0) return refusedAt(other);
  if (gaps.size === 0) return undefined;
  const lines: string[] = [];
  const merged: MergedElision[] = [];
  for (const [at, given] of fresh.entries()) {
    const gap = gaps.get(at);
    if (gap === undefined) lines.push(given);
    // The further lines of one elision.
    else if (gap !== gaps.get(at - 1)) {
      const { from, to } = gap;
      // Who quotes lines and writes a plain comment for them may have meant just that.
      const isUnclear = form === "quoted" && looks[at] === "comment";
      if (isUnclear || from === undefined || to === undefined || from >= to) return refusedAt(at);
      lines.push(...old.slice(from, to));
      merged.push({ text: given.trim(), firstLine: from + 1, lastLine: to });
    }
  }
  const [first = 0] = gaps.keys();
  const isAllOld = lines.length === old.length && lines.every((line, at) => line === old[at]);
  // What changes nothing stands for all that was to be written.
  return isAllOld ? refusedAt(first) : { lines, merged };
}

/** Old lines between the neighbours of an elision: from one index up to but not including another, where these are known. */
interface Gap {
  from: number | undefined;
  to: number | undefined;
}

/** The gaps that new lines stand for, by the index of the line. */
function gapsOf(
  old: readonly string[],
  fresh: readonly string[],
  { looks, form }: { looks: readonly (Look | undefined)[]; form: ChangeForm },
): Map<number, Gap> {
  const gaps = new Map<number, Gap>();
  const changed = vanishedBeside(old, fresh);
  // With a line at each end that no file has, a neighbour may also be the start or the end of the file.
  const [oldLines, freshLines] = [framed(old), framed(fresh)];
  const known = new Set(oldLines);
  const pairs = pairsOf(oldLines);
  const isShorter = old.length - fresh.length >= MIN_LOSS;
  let reached = 0;
  for (let at = 0; at < fresh.length; at += 1) {
    if (looks[at] === undefined) continue;
    let next = at + 1;
    while (looks[next] !== undefined) next += 1;
    const [above, below] = [freshLines.slice(0, at + 1).toReversed(), freshLines.slice(next + 1)];
    const last = placeOfRun(oldLines, above, { step: -1, from: reached });
    const first = placeOfRun(oldLines, below, { step: 1, from: last ?? reached });
    const gap: Gap = { from: last, to: first === undefined ? undefined : first - 1 };
    const isCertain = last !== undefined && first !== undefined;
    const isBetweenOld = known.has(above[0] ?? "") && known.has(below[0] ?? "");
    const isTogether = [...pairsOf([above[0] ?? "", below[0] ?? ""])].some((pair) =>
      pairs.has(pair),
    );
    const isOpen = !isCertain && isBetweenOld && !isTogether;
    for (let line = at; line < next; line += 1) {
      const look = looks[line];
      if (look === undefined) continue;
      const beside = isCertain
        ? { go: old.slice(last, first - 1), come: fresh.slice(at, next), offset: line - at }
        : changed[line];
      const isElided =
        (isOpen && (look === "dotted" || (form === "quoted" && isShorter))) ||
        (beside !== undefined && standsForLines(beside, look, form));
      if (isElided) gaps.set(line, gap);
    }
    if (gaps.has(at) && first !== undefined) reached = first;
    at = next - 1;
  }
  return gaps;
}

function framed(lines: readonly string[]): string[] {
  return ["\0start", ...lines, "\0end"];
}

/** Where the shortest run of lines that stands only once from an index on begins, read away from an elision. */
function placeOfRun(
  lines: readonly string[],
  run: readonly string[],
  { step, from }: { step: 1 | -1; from: number },
): number | undefined {
  let places = lines.flatMap((line, index) => (index >= from && line === run[0] ? [index] : []));
  for (let length = 1; length <= Math.min(run.length, MAX_RUN); length += 1) {
    places = places.filter((at) => lines[at + step * (length - 1)] === run[length - 1]);
    if (places.length < 2) return places[0];
  }
  return undefined;
}

/** The new lines that the file had, where neither above nor below more lines go than come. */
function staysWithoutLoss(old: readonly string[], fresh: readonly string[]): Set<number> {
  const stays: number[] = [];
  const gains = [0];
  let at = 0;
  for (const { mark } of diffLines(old, fresh)) {
    if (mark === " ") {
      stays.push(at);
      gains.push(0);
    } else gains.push((gains.pop() ?? 0) + (mark === "+" ? 1 : -1));
    if (mark !== "-") at += 1;
  }
  return new Set(
    stays.filter((_, index) => Math.min(gains[index] ?? 0, gains[index + 1] ?? 0) >= 0),
  );
}

/** Lines that follow each other, but for their blanks. */
function pairsOf(lines: readonly string[]): Set<string> {
  return new Set(lines.slice(1).map((line, at) => `${lines[at]?.trim()}\n${line.trim()}`));
}

/** What goes and comes in one place, and which of the new lines one is. */
interface Beside {
  go: readonly string[];
  come: readonly string[];
  offset: number;
}

/** For each new line what goes beside it; undefined for lines that stay. */
function vanishedBeside(old: readonly string[], fresh: readonly string[]): (Beside | undefined)[] {
  const found: (Beside | undefined)[] = [];
  let go: string[] = [];
  let come: string[] = [];
  const rows: ChangeLine[] = [...diffLines(old, fresh), { mark: " ", text: "" }];
  const isWordless = ({ mark, text }: ChangeLine): boolean => mark === " " && !LETTER.test(text);
  for (const [at, { mark, text }] of rows.entries()) {
    if (mark === "+") come.push(text);
    else if (mark === "-") go.push(text);
    // A line without a word is like many others, so that what goes behind it goes beside the lines before it too.
    else if (
      come.length > 0 &&
      (rows.slice(at).find((row) => !isWordless(row))?.mark === "-" || isMovable(rows, at))
    )
      come.push(text);
    else {
      for (const offset of come.keys()) found.push({ go, come, offset });
      found.push(undefined);
      [go, come] = [[], []];
    }
  }
  return found;
}

/** Whether the lines from one index on, which stay, are also the last that go behind them: either may be the ones that stay. */
function isMovable(rows: readonly ChangeLine[], at: number): boolean {
  const lengthOf = (from: number, mark: string): number => {
    const to = rows.findIndex((row, index) => index >= from && row.mark !== mark);
    return (to < 0 ? rows.length : to) - from;
  };
  const stays = lengthOf(at, " ");
  const goes = lengthOf(at + stays, "-");
  const [first, second] = [rows.slice(at, at + stays), rows.slice(at + goes, at + goes + stays)];
  return goes >= stays && first.every(({ text }, index) => text === second[index]?.text);
}

function standsForLines({ go, come, offset }: Beside, look: Look, form: ChangeForm): boolean {
  const vanished = go.filter((line) => line.trim() !== "");
  if (vanished.length < VANISHED[form][look]) return false;
  if (look !== "comment") return true;
  const text = come[offset] ?? "";
  // A line that was commented out stands for itself, and a comment takes the place of one that says nearly the same.
  const isExplained = (line: string): boolean =>
    (LETTER.test(line) && text.includes(line.trim())) ||
    (lookOf(line) === "comment" && sharesWords(line, text));
  // Whatever else goes, a comment is the new form of one that said nearly the same at length.
  if (vanished.some((line) => lookOf(line) === "comment" && sharesWords(line, text, MIN_SHARED)))
    return false;
  const explained = vanished.filter(isExplained).length;
  if (explained > 0 && vanished.length - explained < MIN_LOSS) return false;
  const others = come.filter((line) => line.trim() !== "" && lookOf(line) === undefined).length;
  if (others === 0) return true;
  const isAtEdge = offset === 0 || offset === come.length - 1;
  return isAtEdge && vanished.length - others >= MIN_LOSS;
}

function sharesWords(left: string, right: string, minimum = 0): boolean {
  const [a, b] = [left, right].map((text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu)));
  const shared = [...(a ?? [])].filter((word) => b?.has(word)).length;
  return shared >= minimum && shared * 2 >= Math.min(a?.size ?? 0, b?.size ?? 0);
}
