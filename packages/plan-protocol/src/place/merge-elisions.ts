import { diffLines } from "./diff-lines.ts";
import type { ChangeLine } from "./file-change.ts";

/**
 * How much of a file a change covers: the whole file, either stated by the answer (`complete`) or only apparent
 * (`whole`), a quoted part with its new text, or marked lines, where every removed line is listed.
 */
export type ChangeForm = "complete" | "whole" | "quoted" | "marked";

/** An elision: a line that stands for lines of the base, such as `// ...`. It is replaced by those lines. */
interface MergedElision {
  text: string;
  /** Line in the base, 1-based. Both ends are inclusive. */
  firstLine: number;
  lastLine: number;
}

/** The new lines with every elision replaced, or the first elision that cannot be replaced, as a 1-based line. */
export type MergedLines =
  | { lines: string[]; merged: MergedElision[] }
  | { line: number; text: string };

/** Comment openers of common languages, and remarks in brackets. */
const COMMENT =
  /^(?:\/\/|\/\*|<!--|\{\/\*|\{\{!--|\{#|@\*|\(\*|#(?=[\s.\u2026]|$)|--(?=[\s.\u2026])|[;%'](?=[\s.\u2026])|rem\s|[[(<][^()[\]<>{};="]*\s[^()[\]<>{};="]*[\])>]$)/i;
const DOTS = /\.(?:\s?\.){2}|[\u2026\u22ee\u22ef]/;
/** A comment in braces or dots within a line of code, which may stand for a body or for the lines below. */
const WITHIN =
  /\{\s*(?:\/\*.*\*\/|<!--.*-->|(?:\/\/|#)?\s*(?:\.{3}|\u2026)(?:\s.*)?)\s*\}|(?:\/\/|\/\*|<!--|\s#|\s--)\s*(?:\.{3}|\u2026)|["':]{1,3}\s*\.{3}\s*["']{0,3}$/;
/** A quoted text in which brackets or signs are around the dots. */
const BRACKETED = /(["'`])[^"'`\w]*[[({<][^"'`\w]*\1/g;
/** Symbols without a bracket or quote, except a bare comment delimiter. */
const SIGNS = /^(?!(?:\/\*{1,2}|\*{1,2}\/?)$)[^\p{L}\p{N}()[\]{}<>"'`;,]+$/u;
/** Words in a comment without dots that say that lines were left out. */
const LEFT_OUT =
  /\b(?:unchanged|untouched|existing|rest|remain\w*|omit\w*|elided|skipped|snip\w*|truncated|left out|not shown|as (?:is|before|above)|same|previous\w*|others?|etc|keep|kept|stays?|original|continue[sd]?|here)\b/i;
const QUOTED_DOTS = /"[^"]*(?:\.{3}|\u2026)[^"]*"|`[^`]*(?:\.{3}|\u2026)[^`]*`/g;
const LETTER = /[\p{L}\p{N}]/u;
/** Words of many lines of code, which make two of them no more alike. */
const KEYWORD =
  /\b(?:import|export|from|default|type|const|let|var|function|class|interface|def|return|async|await|public|private|static|void|string|number|new|self|this)\b/g;

/** What an elision looks like. `bare` dots are code in some languages. */
type Look = "dotted" | "bare" | "comment";
/** By line. */
type Looks = readonly (Look | undefined)[];

/** Returns a line's text. Quoted dots count as words, since a comment about dots leaves nothing out. */
function textOf(line: string): string {
  const text = line.trim();
  const isSaid = LETTER.test(text.replace(QUOTED_DOTS, ""));
  return text.replace(QUOTED_DOTS, (dots) => (isSaid || dots.length > 5 ? "dots" : dots));
}

function lookOf(line: string): Look | undefined {
  const text = textOf(line);
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

/** True for a documentation comment on a line of code. It describes that line, whatever was removed above. */
function isDocumentation(line: string, next: string | undefined): boolean {
  const text = textOf(line);
  return /^(?:\/\*\*|\/\/\/)\s/.test(text) && !DOTS.test(text) && (next ?? "").trim() !== "";
}

/** Multi-line text: a template literal, a Python string, a Markdown fence. */
const QUOTATION = /(`|"""|''')[^]*?(?:(?<!\\)\1|$)/g;

/**
 * Finds the first comment in a new file that begins with dots. A new file has no base to replace it from. Bracketed
 * dots inside multi-line text, such as a snapshot in a test, are part of that text.
 */
export function elisionInNewFile(
  lines: readonly string[],
): { line: number; text: string } | undefined {
  const quotations = [...lines.join("\n").matchAll(QUOTATION)];
  let end = -1;
  const at = lines.findIndex((line) => {
    const start = end + 1;
    end = start + line.length;
    const [before = ""] = /^[^\p{L}\p{N}]*/u.exec(textOf(line)) ?? [];
    if (!DOTS.test(before) || !COMMENT.test(line.trim())) return false;
    const isQuoted = quotations.some(
      ({ index, 0: text }) => index < start && start < index + text.length,
    );
    return !(isQuoted && /^\s*[[(<]/.test(before));
  });
  return at < 0 ? undefined : { line: at + 1, text: (lines[at] ?? "").trim() };
}

/** Net loss of lines at a comment above which other changes there no longer explain it. */
const MIN_LOSS = 5;
/** Words two comments must share for one to count as the other's new version. */
const MIN_SHARED = 7;
/** Maximum lines of a plain comment that may say that lines were left out. Longer ones describe the code. */
const MAX_STATED = 2;
const MAX_RUN = 100;

/**
 * Finds elisions among new lines: comments or dots where old lines disappear. Replaces each with the old lines between
 * its neighbours if these occur exactly once in the rest of the old text. Returns undefined if there are no elisions.
 */
export function mergeElisions(
  old: readonly string[],
  fresh: readonly string[],
  form: ChangeForm,
): MergedLines | undefined {
  const known = new Set(old.map((line) => line.trim()));
  let found: Vanished | undefined;
  const vanished = (): Vanished => (found ??= vanishedOf(old, fresh));
  const looks = fresh.map((line, at) => {
    const look = isDocumentation(line, fresh[at + 1]) ? undefined : lookOf(line);
    if (look === undefined || !known.has(line.trim())) return look;
    const isOwn = vanished().stays.has(at);
    return look === "comment" || isOwn ? undefined : look;
  });
  const refusedAt = (at: number): MergedLines => ({ line: at + 1, text: (fresh[at] ?? "").trim() });
  const hidden = form === "marked" ? -1 : hiddenElision(old, fresh, { looks, vanished });
  if (hidden >= 0) return refusedAt(hidden);
  if (looks.every((look) => look === undefined)) return undefined;
  const gaps = gapsOf(old, fresh, { looks, form, vanished: vanished() });
  // Text that is an elision in one place is one everywhere. Others are suspicious in text that lost many lines.
  const texts = new Set([...gaps.keys()].map((at) => fresh[at]?.trim()));
  const isCut = old.length - fresh.length >= MIN_LOSS;
  const lost = old.filter((line, at) => vanished().gone[at] === true && LETTER.test(line)).length;
  const other = fresh.findIndex(
    (line, at) =>
      !gaps.has(at) &&
      ((lost > 1 && saysLeftOut(line, looks[at], form)) ||
        (isCut && looks[at] === "bare") ||
        (looks[at] !== undefined && looks[at] !== "bare" && texts.has(line.trim()))),
  );
  if (other >= 0) return refusedAt(other);
  if (gaps.size === 0) return undefined;
  const lines: string[] = [];
  const merged: MergedElision[] = [];
  for (const [at, given] of fresh.entries()) {
    const gap = gaps.get(at);
    if (gap === undefined) lines.push(given);
    // Skips further lines of the same elision.
    else if (gap !== gaps.get(at - 1)) {
      const { from, to, at: mark } = gap;
      if (from === undefined || to === undefined || from >= to) return refusedAt(mark);
      lines.push(...old.slice(from, to));
      merged.push({ text: (fresh[mark] ?? "").trim(), firstLine: from + 1, lastLine: to });
    }
  }
  const [first = 0] = gaps.keys();
  const isAllOld = lines.length === old.length && lines.every((line, at) => line === old[at]);
  // If nothing changes, the elision stands for the very lines to be written.
  return isAllOld ? refusedAt(first) : { lines, merged };
}

/** True for dots alone, or a short comment that says that lines were left out, without dots by its first word. */
function saysLeftOut(line: string, look: Look | undefined, form: ChangeForm): boolean {
  if (look === undefined || form === "marked") return false;
  const words = line.match(/\b(?!the\b)[\p{L}\p{N}]+/giu) ?? [];
  if (words.length === 0) return look === "dotted" || !/^\s/.test(line);
  if (words.length >= MIN_SHARED || (look === "comment" && form === "complete")) return false;
  return LEFT_OUT.test(look === "comment" ? (words[0] ?? "") : line);
}

/**
 * Returns a new line that is not a comment of its own, is where many lines vanish, and looks like a stand-in for them.
 */
function hiddenElision(
  old: readonly string[],
  fresh: readonly string[],
  { looks, vanished }: { looks: Looks; vanished: () => Vanished },
): number {
  const isWithin = (line: string): boolean => WITHIN.test(line.replace(BRACKETED, "$1$1"));
  const isLikely = (line: string, at: number): boolean =>
    looks[at] === undefined && (isWithin(line) || SIGNS.test(line.trim()));
  if (!fresh.some(isLikely)) return -1;
  const { changed } = vanished();
  const known = new Set(["", ...old.map((line) => line.trim())]);
  return fresh.findIndex((line, at) => {
    const beside = changed[at];
    if (beside === undefined || !isLikely(line, at)) return false;
    const goes = beside.go.map((one) => one.trim()).filter((one) => one !== "");
    const news = beside.come.filter((one) => !known.has(one.trim())).length;
    if (goes.includes(line.trim()) || goes.length - news < MIN_LOSS) return false;
    return isWithin(line) || news < 2;
  });
}

/**
 * The old lines between an elision's neighbours. `to` is exclusive. A bound is undefined if its neighbour is not found.
 */
interface Gap {
  from: number | undefined;
  to: number | undefined;
  /** Index of the elision among the new lines. */
  at: number;
}

/** Finds the old lines that each elision stands for, keyed by its line index. */
function gapsOf(
  old: readonly string[],
  fresh: readonly string[],
  {
    looks,
    form,
    vanished: { changed, gone },
  }: { looks: Looks; form: ChangeForm; vanished: Vanished },
): Map<number, Gap> {
  const gaps = new Map<number, Gap>();
  // An extra line at each end lets the start or end of the file serve as a neighbour.
  const [oldLines, freshLines] = [framed(old), framed(fresh)];
  let reached = 0;
  for (let at = 0; at < fresh.length; at += 1) {
    if (looks[at] === undefined) continue;
    let next = at + 1;
    while (looks[next] !== undefined) next += 1;
    const start = looks.slice(0, at).findLastIndex((look) => look !== undefined) + 1;
    const end = looks.findIndex((look, line) => line > next && look !== undefined);
    // Blank lines beside an elision are those of the old lines, or only set it off.
    const above = withoutBlanks(freshLines.slice(start === 0 ? 0 : start + 1, at + 1).toReversed());
    const below = withoutBlanks(freshLines.slice(next + 1, end < 0 ? undefined : end + 1));
    // A comment may have its own meaning, so it needs unambiguous neighbours.
    const run = fresh.slice(at, next);
    const mayBeNear = looks.slice(at, next).some((look) => look !== "comment");
    // In a quoted part, a plain comment in place of lines may be literal.
    const isStated =
      mayBeNear || (form !== "quoted" && run.length <= MAX_STATED && LEFT_OUT.test(run.join("\n")));
    // A comment that does not say that lines were left out is never replaced.
    const place = isStated ? placeOfRun : (): undefined => undefined;
    const depth = indentOf(run[0]);
    const mayBeNew = mayBeNear && LEFT_OUT.test(run.join("\n"));
    const elision = { mayBeNear, mayBeNew, depth };
    const last = place(oldLines, above, { step: -1, from: reached, ...elision });
    const first = place(oldLines, below, { step: 1, from: last ?? reached, ...elision });
    const to = first === undefined ? undefined : first - 1;
    const gap: Gap = { from: last, to, at };
    const isCertain = last !== undefined && to !== undefined && gone.slice(last, to).includes(true);
    for (let line = at; line < next; line += 1) {
      const look = looks[line];
      if (look === undefined) continue;
      const beside = isCertain
        ? { go: old.slice(last, to), come: run, offset: line - at }
        : changed[line];
      const isElided = beside !== undefined && standsForLines(beside, look, form);
      if (isElided) gaps.set(line, gap);
    }
    if (gaps.has(at)) {
      if (first !== undefined) reached = first;
      for (let line = at - 1; fresh[line]?.trim() === ""; line -= 1) gaps.set(line, gap);
      for (let line = next; fresh[line]?.trim() === ""; line += 1) gaps.set(line, gap);
    }
    at = next - 1;
  }
  return gaps;
}

function framed(lines: readonly string[]): string[] {
  return ["\0start", ...lines, "\0end"];
}

function withoutBlanks(run: readonly string[]): string[] {
  return run.slice(run.findIndex((line) => line.trim() !== ""));
}

/**
 * Finds the old line that the line beside an elision is, or that it is put beside. `run` reads away from the elision.
 * Its first line that occurs once from an index on is the anchor. Lines between it and the elision are the old ones
 * there, replace old ones up to the same depth of brackets, or are new.
 */
function placeOfRun(
  lines: readonly string[],
  run: readonly string[],
  {
    step,
    from,
    mayBeNear,
    mayBeNew,
    depth,
  }: { step: 1 | -1; from: number; mayBeNear: boolean; mayBeNew: boolean; depth: number },
): number | undefined {
  const offset = run.findIndex((line) => {
    const first = lines.indexOf(line, from);
    return first >= 0 && LETTER.test(line) && lines.lastIndexOf(line) === first;
  });
  if (offset < 0) return undefined;
  const anchor = lines.indexOf(run[offset] ?? "", from);
  let [at, left] = [anchor, offset];
  for (; left > 0 && lines[at - step] === run[left - 1]; left -= 1) at -= step;
  if (left === 0) return at;
  if (lines[anchor]?.startsWith("\0") === true) return undefined;
  const changed = run.slice(0, left).toReversed();
  const depths = depthsOf(changed, step);
  const sum = depths.at(-1) ?? 0;
  const beyond = step < 0 ? lines.slice(at + 1, -1) : lines.slice(1, at).toReversed();
  const sums = depthsOf(beyond.slice(0, MAX_RUN), step);
  // Statements above lines that stay replace the statements there.
  const lengths = beyond.slice(0, left + MIN_LOSS).map((_, end) => {
    let length = 0;
    while (length < left && length <= end && run[length] === beyond[end - length]) length += 1;
    const before = [depths[left - 1 - length], sums[end - length]];
    return before.every((one = 0) => one === 0) ? length : 0;
  });
  const longest = Math.max(...lengths);
  const end = lengths.indexOf(longest);
  if (longest > 0 && end === lengths.lastIndexOf(longest)) return at - step * (end + 1);
  if (!mayBeNear || sum > 0) return undefined;
  if (sum < 0) {
    const [own, other] = [depths, sums].map((all) => all.findIndex((one) => one <= sum));
    if (own === undefined || other === undefined || sums[other] !== sum) return undefined;
    const [closing = "", ...after] = changed.slice(own);
    const isSame =
      closing === beyond[other] || (left === 1 && sharesWords(closing, beyond[other] ?? "", 1));
    const isAll = after.every((line, index) => line === beyond[other + 1 + index]);
    return isSame && isAll ? at - step * (other + 1 + after.length) : undefined;
  }
  if (longest > 0 || depths.some((one) => one < 0)) return undefined;
  const near = beyond.filter((line) => line.trim() !== "").slice(0, changed.length);
  const isRemark = (line: string): boolean => COMMENT.test(line.trim());
  const isAlike = (line: string): boolean =>
    changed.some((one) => sharesWords(line, one, 1) || (isRemark(line) && isRemark(one)));
  if (!near.some(isAlike)) {
    if (!mayBeNew) return undefined;
    return anchor !== at && lines[at]?.trim() === "" ? at + step : at;
  }
  // A block without brackets ends where an elision beside its head begins.
  const isHead = step < 0 && /:\s*$/.test(lines[at] ?? "") && indentOf(lines[at]) >= depth;
  const block = beyond.findIndex((line) => line.trim() !== "" && indentOf(line) <= depth);
  const body = beyond.slice(0, block).filter((line) => line.trim() !== "");
  return isHead && body.length === left ? at + left : undefined;
}

/** Sums of opened and closed brackets after each line, reading toward an elision. */
function depthsOf(lines: readonly string[], step: 1 | -1): number[] {
  let sum = 0;
  return lines.map((line) => {
    const opened = line.split(/[([{]/).length - line.split(/[)\]}]/).length;
    return (sum -= step * opened);
  });
}

function indentOf(line = ""): number {
  return line.search(/\S|$/);
}

/** The lines removed and added at one place, and the index of one new line among the added ones. */
interface Beside {
  go: readonly string[];
  come: readonly string[];
  offset: number;
}

interface Vanished {
  /** For each new line, the change it belongs to. Undefined for lines that stay. */
  changed: (Beside | undefined)[];
  /** New lines that stay and have no net loss of lines directly above or below. */
  stays: Set<number>;
  /** For each old line, whether it is removed. */
  gone: boolean[];
}

function vanishedOf(old: readonly string[], fresh: readonly string[]): Vanished {
  const changed: Vanished["changed"] = [];
  const stays = new Set<number>();
  let [gain, last] = [0, -1];
  let go: string[] = [];
  let come: string[] = [];
  const rows: ChangeLine[] = [...diffLines(old, fresh), { mark: " ", text: "" }];
  const isWordless = ({ mark, text }: ChangeLine): boolean => mark === " " && !LETTER.test(text);
  for (const [at, { mark, text }] of rows.entries()) {
    if (mark === " ") {
      const line = changed.length + come.length;
      stays.add(line);
      if (gain < 0) [last, line].forEach((beside) => stays.delete(beside));
      [gain, last] = [0, line];
    } else gain += mark === "+" ? 1 : -1;
    if (mark === "+") come.push(text);
    else if (mark === "-") go.push(text);
    // A line without words is not distinctive, so lines removed after it also count for the lines before it.
    else if (
      come.length > 0 &&
      (rows.slice(at).find((row) => !isWordless(row))?.mark === "-" || isMovable(rows, at))
    )
      come.push(text);
    else {
      for (const offset of come.keys()) changed.push({ go, come, offset });
      changed.push(undefined);
      [go, come] = [[], []];
    }
  }
  const gone = rows.filter(({ mark }) => mark !== "+").map(({ mark }) => mark === "-");
  return { changed, stays, gone };
}

/**
 * True if the unchanged lines from an index on recur at the end of the removed lines after them, so that either could
 * be the ones that stay.
 */
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
  if (vanished.length < (look === "dotted" ? 1 : 2) || (form === "marked" && look === "comment"))
    return false;
  const text = come[offset] ?? "";
  // Dots that the old line also has are part of the reworded line.
  if (look !== "comment")
    return !vanished.every((line) => DOTS.test(line) && sharesWords(line, text, 1));
  // Comments that replace the same number of comments are their new version.
  const isRemark = (line: string): boolean => COMMENT.test(line.trim());
  const isStated = LEFT_OUT.test(text);
  const remarks = come.filter(isRemark).length + (isStated ? 0 : MIN_LOSS - 1);
  if (vanished.length <= remarks && vanished.every(isRemark)) return false;
  // A commented-out line explains itself. A comment is explained if the new one says nearly the same.
  const isExplained = (line: string): boolean =>
    (LETTER.test(line) && text.includes(line.trim())) ||
    (lookOf(line) === "comment" && sharesWords(line, text));
  if (isReworded(text, vanished)) return false;
  const explained = vanished.filter(isExplained).length;
  if (explained > 0 && vanished.length - explained < MIN_LOSS) return false;
  const others = come.filter((line) => line.trim() !== "" && lookOf(line) === undefined).length;
  if (others === 0) return true;
  if (form === "complete" && !isStated) return false;
  const isAtEdge = offset === 0 || offset === come.length - 1;
  return isAtEdge && vanished.length - others >= MIN_LOSS;
}

/** True for a long comment that says nearly the same as an old one. It is the new version, whatever else is removed. */
function isReworded(text: string, old: readonly string[]): boolean {
  return old.some((line) => lookOf(line) === "comment" && sharesWords(line, text, MIN_SHARED));
}

function sharesWords(left: string, right: string, minimum = 0): boolean {
  const [a, b] = [left, right].map(
    (text) =>
      new Set(
        text
          .replace(KEYWORD, "")
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu),
      ),
  );
  const shared = [...(a ?? [])].filter((word) => b?.has(word)).length;
  return shared >= minimum && shared * 2 >= Math.min(a?.size ?? 0, b?.size ?? 0);
}
