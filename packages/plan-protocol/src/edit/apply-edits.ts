import { type Result, success } from "@ccl/core";

import type { FileEdit } from "../plan/plan.ts";
import { type PlanIssue, quote } from "../plan-issue.ts";
import type { PlanIssueCode } from "../plan-issue-code.ts";

/** How far from its anchor, in UTF-16 code units, the text to replace may stand. */
const ANCHOR_REACH = 4_000;

interface Span {
  start: number;
  end: number;
}

interface Replacement extends Span {
  after: string;
  index: number;
}

/** Why an edit has no one place. */
interface EditError {
  code: PlanIssueCode;
  message: string;
}

/**
 * Replaces the texts that the edits name. Each is found in `base` itself, exactly once (with an anchor: once within 4,000
 * characters of it), so the order of edits does not matter; nothing is changed if one fails. Paths of issues begin with
 * the index of the edit. Where all line ends of the file are CR LF and an edit has LF alone, it is read with CR LF.
 */
export function applyEdits(base: string, edits: readonly FileEdit[]): Result<string> {
  const issues: PlanIssue[] = [];
  const replacements: Replacement[] = [];
  const toLineEnds = lineEndsOf(base);
  for (const [index, edit] of edits.entries()) {
    const { after } = toLineEnds(edit);
    const found = locate(base, toLineEnds(edit));
    if ("code" in found) issues.push({ ...found, path: [index] });
    else replacements.push({ ...found, after, index });
  }
  if (edits.length === 0)
    issues.push({
      code: "ERR_EDIT_NO_EDITS",
      path: [],
      message: "There is no edit. Give at least one.",
    });
  replacements.sort((a, b) => a.start - b.start || a.index - b.index);
  for (const [place, { start, index }] of replacements.entries()) {
    const before = replacements[place - 1];
    if (before === undefined || before.end <= start) continue;
    const message = `Edits ${before.index + 1} and ${index + 1} change the same text. Give one edit for both.`;
    issues.push({ code: "ERR_EDIT_APPLY_FAILED", path: [index], message });
  }
  return issues.length === 0 ? success(rewrite(base, replacements)) : { ok: false, issues };
}

function rewrite(base: string, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, after } of replacements) {
    parts.push(base.slice(from, start), after);
    from = end;
  }
  return parts.join("") + base.slice(from);
}

function locate(base: string, { anchor, before, after }: FileEdit): Span | EditError {
  if (before === "")
    return {
      code: "ERR_EDIT_AMBIGUOUS",
      message: "An empty text stands everywhere. Give the text that is to be replaced.",
    };
  if (before === after)
    return {
      code: "ERR_EDIT_APPLY_FAILED",
      message: `Before and after are both ${quote(before)}. Leave the edit out.`,
    };
  const near = anchor === undefined ? undefined : locateAnchor(base, anchor);
  if (near !== undefined && "code" in near) return near;
  const from = near === undefined ? 0 : Math.max(0, near.start - ANCHOR_REACH - before.length);
  const to = near === undefined ? base.length : near.end + ANCHOR_REACH + before.length;
  const region = from === 0 && to >= base.length ? base : base.slice(from, to);
  const first = region.indexOf(before);
  const place = near === undefined ? "the file" : "reach of its anchor";
  if (first < 0)
    return {
      code: "ERR_EDIT_BEFORE_NOT_FOUND",
      message: `${quote(before)} does not stand in ${place}. Quote it exactly.`,
    };
  if (region.indexOf(before, first + 1) >= 0)
    return {
      code: "ERR_EDIT_AMBIGUOUS",
      message: `${quote(before)} stands more than once in ${place}. Quote more of it.`,
    };
  return { start: from + first, end: from + first + before.length };
}

function locateAnchor(base: string, anchor: string): Span | EditError {
  const start = base.indexOf(anchor);
  if (start < 0)
    return {
      code: "ERR_EDIT_ANCHOR_NOT_FOUND",
      message: `The anchor ${quote(anchor)} does not stand in the file.`,
    };
  if (base.indexOf(anchor, start + 1) >= 0)
    return {
      code: "ERR_EDIT_AMBIGUOUS",
      message: `The anchor ${quote(anchor)} stands more than once. Quote more of it.`,
    };
  return { start, end: start + anchor.length };
}

function lineEndsOf(base: string): (edit: FileEdit) => FileEdit {
  const isAllReturns = base.includes("\r\n") && !/(?<!\r)\n/.test(base);
  return (edit) => {
    const texts = [edit.anchor ?? "", edit.before, edit.after];
    if (!isAllReturns || texts.some((text) => text.includes("\r\n"))) return edit;
    const withReturns = (text: string): string => text.replaceAll("\n", "\r\n");
    return {
      anchor: edit.anchor === undefined ? undefined : withReturns(edit.anchor),
      before: withReturns(edit.before),
      after: withReturns(edit.after),
    };
  };
}
