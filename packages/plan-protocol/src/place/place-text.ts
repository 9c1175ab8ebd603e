import { type PlanIssue, planIssue, quote } from "../plan-issue.ts";
import type { BaseFile } from "./base-file.ts";
import type { TextChange } from "./file-change.ts";

/** Maximum distance of the text to replace from its anchor, in UTF-16 code units. */
const ANCHOR_REACH = 4_000;

/** Returns offsets of exact matches of a string: one, or all with `isEverywhere`. */
export function placeText(
  { text }: BaseFile,
  { before, anchor, isEverywhere }: TextChange,
): number[] | PlanIssue {
  if (before === "")
    return planIssue(
      "ERR_EDIT_AMBIGUOUS",
      "An empty string is everywhere. Give the text to replace.",
    );
  const near = anchor === undefined ? undefined : placeAnchor(text, anchor);
  if (near !== undefined && "code" in near) return near;
  const from = near === undefined ? 0 : Math.max(0, near.start - ANCHOR_REACH - before.length);
  const to = near === undefined ? text.length : near.end + ANCHOR_REACH + before.length;
  const region = text.slice(from, to);
  const first = region.indexOf(before);
  const place = near === undefined ? "the file" : "reach of its anchor";
  if (first < 0)
    return planIssue(
      "ERR_EDIT_BEFORE_NOT_FOUND",
      `${quote(before)} is not in ${place}. Quote it exactly.`,
    );
  if (isEverywhere === true) return placesIn(text, before);
  return region.indexOf(before, first + 1) < 0
    ? [from + first]
    : planIssue(
        "ERR_EDIT_AMBIGUOUS",
        `${quote(before)} occurs more than once in ${place}. Quote more of it.`,
      );
}

function placesIn(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
}

function placeAnchor(text: string, anchor: string): { start: number; end: number } | PlanIssue {
  const start = text.indexOf(anchor);
  if (start < 0)
    return planIssue(
      "ERR_EDIT_ANCHOR_NOT_FOUND",
      `The anchor ${quote(anchor)} is not in the file.`,
    );
  if (text.indexOf(anchor, start + 1) >= 0)
    return planIssue(
      "ERR_EDIT_AMBIGUOUS",
      `The anchor ${quote(anchor)} occurs more than once. Quote more of it.`,
    );
  return { start, end: start + anchor.length };
}
