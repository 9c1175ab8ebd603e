import { diffLines } from "./diff-lines.ts";

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
  quoted: { dotted: 1, bare: 2, comment: 3 },
  marked: { dotted: 1, bare: 2, comment: Infinity },
};
/** So many more lines go than come beside a comment that it does not explain the others. */
const MIN_LOSS = 5;
const MAX_RUN = 100;

/**
 * Judges new lines against the old ones: a new comment, or dots, where lines vanish stands for them. It is replaced by the
 * lines between its neighbours where these stand exactly once in the old ones. Undefined where there is none.
 */
export function mergeElisions(
  old: readonly string[],
  fresh: readonly string[],
  form: ChangeForm,
): MergedLines | undefined {
  const known = new Set(old.map((line) => line.trim()));
  const looks = fresh.map((line) => (known.has(line.trim()) ? undefined : lookOf(line)));
  if (looks.every((look) => look === undefined)) return undefined;
  const elided = elidedLines(old, fresh, { looks, form });
  if (elided.size === 0) return undefined;
  // With a line at each end that no file has, a neighbour may also be the start or the end of the file.
  const [oldLines, freshLines] = [framed(old), framed(fresh)];
  const lines: string[] = [];
  const merged: MergedElision[] = [];
  let reached = 0;
  for (let at = 0; at < fresh.length; at += 1) {
    if (!elided.has(at)) {
      lines.push(fresh[at] ?? "");
      continue;
    }
    const text = (fresh[at] ?? "").trim();
    const line = at + 1;
    // Who quotes lines and writes a plain comment for them may have meant just that.
    if (form === "quoted" && looks[at] === "comment") return { line, text };
    let next = at + 1;
    while (elided.has(next)) next += 1;
    const from = placeOfRun(oldLines, freshLines.slice(0, at + 1).toReversed(), true);
    const to = placeOfRun(oldLines, freshLines.slice(next + 1), false);
    if (from === undefined || to === undefined || from > to || from < reached)
      return { line, text };
    const kept = old.slice(from - 1, to - 1);
    if (kept.length === 0) return { line, text };
    lines.push(...kept);
    merged.push({ text, firstLine: from, lastLine: to - 1 });
    reached = to;
    at = next - 1;
  }
  const [first] = elided;
  const isAllOld = lines.length === old.length && lines.every((line, at) => line === old[at]);
  // What changes nothing stands for all that was to be written.
  return isAllOld && first !== undefined
    ? { line: first + 1, text: (fresh[first] ?? "").trim() }
    : { lines, merged };
}

function framed(lines: readonly string[]): string[] {
  return ["\0start", ...lines, "\0end"];
}

/**
 * Where the shortest run of lines that stands only once ends, read away from an elision: the index behind it, or of its first
 * line for the lines below.
 */
function placeOfRun(
  lines: readonly string[],
  run: readonly string[],
  isAbove: boolean,
): number | undefined {
  const step = isAbove ? -1 : 1;
  let places = lines.flatMap((line, index) => (line === run[0] ? [index] : []));
  for (let length = 1; length <= Math.min(run.length, MAX_RUN); length += 1) {
    places = places.filter((at) => lines[at + step * (length - 1)] === run[length - 1]);
    const [only] = places;
    if (only === undefined) return undefined;
    if (places.length === 1) return isAbove ? only + 1 : only;
  }
  return undefined;
}

/** Indexes of the new lines that stand for old ones. */
function elidedLines(
  old: readonly string[],
  fresh: readonly string[],
  { looks, form }: { looks: readonly (Look | undefined)[]; form: ChangeForm },
): Set<number> {
  const elided = new Set<number>();
  let at = 0;
  let go: string[] = [];
  let come: string[] = [];
  for (const { mark, text } of [...diffLines(old, fresh), { mark: " ", text: "" }]) {
    if (mark === "+") come.push(text);
    else if (mark === "-") go.push(text);
    else {
      const isElided = (offset: number): boolean =>
        standsForLines(go, come, { offset, look: looks[at + offset], form });
      for (const offset of [...come.keys()].filter(isElided)) elided.add(at + offset);
      at += come.length + 1;
      [go, come] = [[], []];
    }
  }
  return elided;
}

function standsForLines(
  go: readonly string[],
  come: readonly string[],
  { offset, look, form }: { offset: number; look: Look | undefined; form: ChangeForm },
): boolean {
  const vanished = go.filter((line) => line.trim() !== "");
  if (look === undefined || vanished.length < VANISHED[form][look]) return false;
  if (look !== "comment") return true;
  const text = come[offset] ?? "";
  // A line that was commented out stands for itself, and a comment takes the place of one that says nearly the same.
  const isExplained = (line: string): boolean =>
    text.includes(line.trim()) || (lookOf(line) === "comment" && sharesWords(line, text));
  if (vanished.some(isExplained)) return false;
  const others = come.filter((line) => line.trim() !== "" && lookOf(line) === undefined).length;
  if (others === 0) return true;
  const isAtEdge = offset === 0 || offset === come.length - 1;
  return isAtEdge && vanished.length - others >= MIN_LOSS;
}

function sharesWords(left: string, right: string): boolean {
  const [a, b] = [left, right].map((text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu)));
  const shared = [...(a ?? [])].filter((word) => b?.has(word)).length;
  return shared * 2 >= Math.min(a?.size ?? 0, b?.size ?? 0);
}
