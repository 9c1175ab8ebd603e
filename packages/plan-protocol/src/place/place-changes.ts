import { parseJson } from "@ccl/core/json";

import { type PlanIssue, planIssue, type PlanIssueCode, quote } from "../plan-issue.ts";
import { type BaseFile, baseFileOf, type Replacement, rewrite } from "./base-file.ts";
import { diffLines } from "./diff-lines.ts";
import {
  type ChangeHunk,
  type ChangeLine,
  DIVIDER,
  type FileChange,
  linesOf,
  type TextChange,
} from "./file-change.ts";
import { type ChangeForm, mergeElisions } from "./merge-elisions.ts";
import { nearestLines } from "./nearest-lines.ts";
import { type NoPlace, type PlacedHunks, placeAt, placeHunks } from "./place-hunks.ts";
import { placeText } from "./place-text.ts";

const MAX_PLACES = 400;
/** A shorter file may lose over half of its lines, if its first and last line stay. */
const MIN_LINES = 20;
/** A shorter file may lose any lines. */
const MIN_PARTS = 4;

/** A change to an existing file's text. */
export type EditOfFile = Extract<FileChange, { type: "hunks" | "replace" | "whole" | "insert" }>;

/** Lines that all begin with line numbers, as files are shown to a model. */
const NUMBERED = /^(?:\s*\d+(?:\t|→| ?\| ).*(?:\n|$))+\s*$/;

/** A file's new text. */
export interface PlacedText {
  text: string;
  /** All new text in it. */
  added: string;
  /** Differences from the literal answer: lines replaced by a comment, and errors that were forgiven. */
  remarks: string[];
}

/** Names that a line declares or imports. */
const DECLARATION = /^(?:export |pub )?(?:import|from|use|using|const|let|var|type)\b([^=;"']*)/;
const KEYWORD = /^(?:import|from|as|type|default|static)$/;

interface Round {
  base: BaseFile;
  /** Number of edits and hunks. */
  count: number;
  path: string;
  replacements: Replacement[];
  remarks: string[];
}

/**
 * Applies edits to a file's text, each placed in the text as it was read. Otherwise returns why it cannot. An issue's
 * path begins with the index of the hunk or text.
 */
export function placeChanges(
  own: string,
  path: string,
  changes: readonly EditOfFile[],
): PlacedText | PlanIssue[] {
  const base = baseFileOf(own);
  if (changes.length > 1 && changes.some(({ type }) => type === "whole" || type === "insert"))
    return [
      planIssue(
        "ERR_ACTION_CONFLICT",
        `${quote(path)} is changed in several ways, one of which needs it as it is. Give one change of it.`,
      ),
    ];
  const count = changes.reduce((sum, change) => sum + sizeOf(change), 0);
  if (count > MAX_PLACES)
    return [
      planIssue(
        "ERR_TOO_MANY_ACTIONS",
        `${count} edits of ${quote(path)} are more than ${MAX_PLACES}. Give the whole file.`,
      ),
    ];
  const round: Round = { base, count, path, replacements: [], remarks: [] };
  const issues = changes.flatMap((change) => placeChange(round, change));
  if (issues.length > 0) return issues;
  const { replacements, remarks } = round;
  replacements.sort((a, b) => a.start - b.start);
  const clash = replacements.find(
    ({ start }, index) => start < (replacements[index - 1]?.end ?? 0),
  );
  if (clash !== undefined)
    return [
      planIssue(
        "ERR_EDIT_APPLY_FAILED",
        `Two edits of ${quote(path)} change the same text, in line ${lineAt(base, clash.start)}. Give one edit for both.`,
      ),
    ];
  const numbered = replacements.find((one) => NUMBERED.test(one.text));
  if (numbered !== undefined && !base.lines.some((line) => NUMBERED.test(line)))
    return [
      planIssue(
        "ERR_EDIT_APPLY_FAILED",
        `New lines of ${quote(path)} begin with line numbers, as in ${quote(numbered.text)}. Leave the numbers out.`,
      ),
    ];
  const text = rewrite(base, replacements);
  if (text === own)
    return [
      planIssue(
        "ERR_PATCH_APPLY_FAILED",
        `${quote(path)} already has this text. Leave the edit out.`,
      ),
    ];
  return { text, added: replacements.map((one) => one.text).join("\n"), remarks };
}

function sizeOf(change: EditOfFile): number {
  if (change.type === "replace") return change.texts.length;
  return change.type === "hunks" ? change.hunks.length : 1;
}

function placeChange(round: Round, change: EditOfFile): PlanIssue[] {
  if (change.type === "hunks") return placeAllHunks(round, change.hunks);
  if (change.type === "replace")
    return change.texts.flatMap((text, index) => {
      const name = `Edit ${index + 1} of ${change.texts.length} for ${quote(round.path)}`;
      const problem = placeOneText(round, text, name);
      return problem === undefined ? [] : [{ ...problem, path: [index] }];
    });
  const problem = change.type === "whole" ? placeWhole(round, change) : placeInsert(round, change);
  return problem === undefined ? [] : [problem];
}

function placeWhole(
  round: Round,
  { content, isWhole }: Extract<EditOfFile, { type: "whole" }>,
): PlanIssue | undefined {
  const { base, path, remarks } = round;
  const given = linesOf(content);
  const lines = merged(base.lines, given, {
    form: isWhole === true ? "complete" : "whole",
    remarks,
  });
  if (!Array.isArray(lines)) return lines;
  const rows = diffLines(base.lines, lines);
  if (isWhole !== true && isPart(base.lines, lines, rows))
    return planIssue(
      "ERR_ELISION",
      `${quote(path)} has ${base.lines.length} lines, of which ${lines.length} are given. Give the whole file, or an edit of it.`,
    );
  const placed = placeAt(base.lines, { lines: rows }, { at: 0 });
  if (placed !== undefined) take(round, { ...placed, slips: [] });
  return undefined;
}

/** True for lines that may be only a part of a file, as a snippet below its name is. */
function isPart(
  base: readonly string[],
  lines: readonly string[],
  rows: readonly ChangeLine[],
): boolean {
  if (lines.every((line) => line.trim() === "")) return lines.length < base.length;
  const isSame = (at: number): boolean => base.at(at)?.trim() === lines.at(at)?.trim();
  const isShort = lines.length < base.length / 2 && base.length > MIN_PARTS;
  if (isShort && (base.length > MIN_LINES || !isSame(0) || !isSame(-1))) return true;
  const [keys, given] = [base, lines].map(
    (all) => new Set(Object.keys(Object(parseJson(all.join("\n"))))),
  );
  const gone = [...(keys ?? [])].filter((key) => given?.has(key) === false);
  if (gone.length * 2 > (keys?.size ?? 0)) return true;
  const [head, tail] = [rows, rows.toReversed()].map(lostAt);
  if (head === undefined || tail === undefined) return false;
  const used = new Set(lines.join("\n").match(/\w+/g));
  // Code that still uses what the file's first lines declare needs them.
  const isUsed = head
    .flatMap((line) => DECLARATION.exec(line)?.[1]?.match(/\w+/g) ?? [])
    .some((name) => used.has(name) && !KEYWORD.test(name));
  return isUsed || (head.length > 0 && tail.length > 0);
}

/** Returns the lines that go before the first line that stays. Empty if new ones replace them. */
function lostAt(rows: readonly ChangeLine[]): string[] | undefined {
  const first = rows.findIndex(({ mark, text }) => mark === " " && /\w/.test(text));
  if (first < 0) return undefined;
  const beside = rows.slice(0, first).filter(({ mark, text }) => mark !== " " && /\w/.test(text));
  return beside.some(({ mark }) => mark === "+") ? [] : beside.map(({ text }) => text);
}

function placeInsert(
  { base, path, replacements }: Round,
  { afterLine, text }: { afterLine: number; text: string },
): PlanIssue | undefined {
  if (!Number.isInteger(afterLine) || afterLine < 0 || afterLine > base.lines.length)
    return planIssue(
      "ERR_EDIT_APPLY_FAILED",
      `${quote(path)} has ${base.lines.length} lines, so nothing can be inserted after line ${afterLine}.`,
    );
  const at = base.starts[afterLine] ?? 0;
  replacements.push({ start: at, end: at, text: text.endsWith("\n") ? text : `${text}\n` });
  return undefined;
}

function placeAllHunks(round: Round, given: readonly ChangeHunk[]): PlanIssue[] {
  const { base, path, remarks } = round;
  const hunks: ChangeHunk[] = [];
  for (const [index, hunk] of given.entries()) {
    const old = hunk.lines.filter(({ mark }) => mark !== "+").map(({ text }) => text);
    const fresh = hunk.lines.filter(({ mark }) => mark !== "-").map(({ text }) => text);
    const lines = merged(old, fresh, { form: "marked", remarks });
    if (!Array.isArray(lines)) return [{ ...lines, path: [index] }];
    hunks.push(lines === fresh ? hunk : { ...hunk, lines: diffLines(old, lines) });
  }
  const placed = placeHunks(base.lines, hunks);
  if ("replacements" in placed) {
    take(round, placed);
    return [];
  }
  const old = hunks[placed.hunk]?.lines.filter(({ mark }) => mark !== "+").map(({ text }) => text);
  const name = `Hunk ${placed.hunk + 1} of ${hunks.length} for ${quote(path)}`;
  const problem = unplaced("ERR_PATCH_APPLY_FAILED", name, {
    base,
    old: old ?? [],
    reason: placed.reason,
  });
  return [{ ...problem, path: [placed.hunk] }];
}

function placeOneText(round: Round, change: TextChange, name: string): PlanIssue | undefined {
  const { base, remarks, replacements } = round;
  const readings = [change, ...(change.others ?? [])].map(plainText);
  const [reading = change] = readings;
  if (reading.before === reading.after) {
    const problem = `${name}: before and after are both ${quote(reading.before)}.`;
    if (round.count === 1)
      return planIssue("ERR_EDIT_APPLY_FAILED", `${problem} Leave the edit out.`);
    remarks.push(problem);
    return undefined;
  }
  if (readings.length > 1) {
    const fitting = readings.filter(
      (one) =>
        (DIVIDER.test(base.text) || !DIVIDER.test(one.after)) &&
        "replacements" in placeLines(base, one),
    );
    const [only, ...others] = fitting;
    if (only === undefined || others.length > 0)
      return planIssue(
        only === undefined ? "ERR_EDIT_BEFORE_NOT_FOUND" : "ERR_EDIT_AMBIGUOUS",
        `${name} has several lines of "=======", and it is not clear which divides old and new lines. Give it in another format.`,
      );
    return placeOneText(round, only, name);
  }
  const isQuoted = reading.anchor === undefined && reading.isEverywhere !== true;
  const lines = isQuoted
    ? merged(linesOf(reading.before), linesOf(reading.after), { form: "quoted", remarks })
    : undefined;
  if (lines !== undefined && !Array.isArray(lines)) return lines;
  const isMerged = lines !== undefined && lines.length !== linesOf(reading.after).length;
  const after = isMerged ? lines.map((line) => `${line}\n`).join("") : reading.after;
  if (reading.isLines !== true && !isMerged) {
    const places = placeText(base, reading);
    if (Array.isArray(places)) {
      for (const start of places)
        replacements.push({ start, end: start + reading.before.length, text: after });
      return undefined;
    }
    // Placing by lines ignores the anchor, and cannot choose among several places.
    if (places.code !== "ERR_EDIT_BEFORE_NOT_FOUND" || reading.anchor !== undefined) return places;
  }
  const placed = placeLines(base, { ...reading, after });
  if ("replacements" in placed) {
    take(round, placed);
    return undefined;
  }
  const { reason } = placed;
  const code = reason === "ambiguous" ? "ERR_EDIT_AMBIGUOUS" : "ERR_EDIT_BEFORE_NOT_FOUND";
  return unplaced(code, name, { base, old: linesOf(reading.before), reason });
}

function plainText(change: TextChange): TextChange {
  const plain = (text: string): string => text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const anchor = change.anchor === undefined ? undefined : plain(change.anchor);
  return {
    ...change,
    anchor,
    before: plain(change.before),
    after: plain(change.after),
    others: undefined,
  };
}

function placeLines(
  { lines }: BaseFile,
  { before, after, statedAt }: TextChange,
): PlacedHunks | { reason: NoPlace } {
  return placeHunks(lines, [{ lines: diffLines(linesOf(before), linesOf(after)), statedAt }]);
}

function take({ base, replacements, remarks }: Round, placed: PlacedHunks): void {
  remarks.push(...placed.slips);
  for (const { start, end, lines, isOpen } of placed.replacements)
    replacements.push({
      start: base.starts[start] ?? 0,
      end: base.starts[end] ?? 0,
      text: lines.map((line) => `${line}\n`).join(""),
      isOpen,
    });
}

/**
 * Replaces elisions in the new lines, or returns an issue for one that cannot be replaced. Without elisions, returns
 * the same list.
 */
function merged(
  old: readonly string[],
  fresh: string[],
  { form, remarks }: { form: ChangeForm; remarks: string[] },
): string[] | PlanIssue {
  const found = mergeElisions(old, fresh, form);
  if (found === undefined) return fresh;
  if ("line" in found)
    return planIssue(
      "ERR_ELISION",
      `${quote(found.text)} in line ${found.line} replaces lines of the file, and it is not clear which. Give all of them.`,
    );
  for (const { text, firstLine, lastLine } of found.merged)
    remarks.push(
      `${quote(text)} stands for lines ${firstLine} to ${lastLine} of the old text, which are kept.`,
    );
  return found.lines;
}

function unplaced(
  code: PlanIssueCode,
  name: string,
  { base, old, reason }: { base: BaseFile; old: readonly string[]; reason: NoPlace },
): PlanIssue {
  if (reason === "ambiguous")
    return planIssue(
      code,
      `${name} fits in more than one place. Give more lines above and below it, so that they occur only once.`,
    );
  if (reason === "unchecked")
    return planIssue(code, `${name} has no line of the file. Give lines above and below it.`);
  const near = nearestLines(base.lines, old);
  const shown = near === "" ? "" : ` The nearest lines are:\n${near}\n`;
  return planIssue(
    code,
    `${name} is not in the file.${shown} Send its old lines exactly as they are there.`,
  );
}

function lineAt({ text }: BaseFile, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
