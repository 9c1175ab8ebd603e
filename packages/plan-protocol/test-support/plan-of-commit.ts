import { sha256Hex } from "@ccl/core";

import { decodeText } from "../src/node/file-system/read-file.ts";
import { checkPath } from "../src/paths/check-path.ts";
import type { FileEdit, PlanAction, PlanVersion } from "../src/plan/plan.ts";
import type { CommitChange, FileChange } from "./git-history.ts";

/** What of a commit a plan can say, and what it can't. */
export interface CommitPlan {
  actions: PlanAction[];
  /** Texts of the files that change, as they were read. */
  bases: Map<string, string>;
  /** Binary files, links, changes of the mode alone, and protected paths. */
  leftOut: FileChange[];
}

/** The plan of a version that makes the same of a tree as a commit. */
export function planOfCommit({ changes }: CommitChange, version: PlanVersion): CommitPlan {
  const plan: CommitPlan = { actions: [], bases: new Map(), leftOut: [] };
  for (const change of changes) {
    const before = change.before === undefined ? undefined : decodeText(change.before);
    const after = change.after === undefined ? undefined : decodeText(change.after);
    const isBinary =
      (change.before !== undefined && before === undefined) ||
      (change.after !== undefined && after === undefined);
    const isSame = before === after;
    if (isBinary || isSame || isProtected(change.path)) plan.leftOut.push(change);
    else {
      if (before !== undefined) plan.bases.set(change.path, before);
      plan.actions.push(actionOf(change, { before, after, version }));
    }
  }
  return plan;
}

function isProtected(path: string): boolean {
  const checked = checkPath(path, { use: "write" });
  return !checked.ok && checked.issues.every(({ code }) => code === "PROTECTED_PATH");
}

function actionOf(
  { path, patch }: FileChange,
  {
    before,
    after,
    version,
  }: { before: string | undefined; after: string | undefined; version: PlanVersion },
): PlanAction {
  if (after === undefined) return { kind: "DELETE_FILE", path };
  if (before === undefined) return { kind: "CREATE_FILE", path, content: after };
  if (version === 1) return { kind: "UPDATE_FILE", path, content: after };
  const base_sha256 = sha256Hex(before);
  const edits = version === 3 && patch !== undefined ? editsOf(before, patch) : undefined;
  if (edits !== undefined) return { kind: "EDIT_FILE", path, base_sha256, edits };
  return { kind: "PATCH_FILE", path, base_sha256, patch: patch ?? "" };
}

interface Replacement {
  /** Lines of the old file, from 0; the end is not included. */
  start: number;
  end: number;
  lines: string[];
}

/** A patch as quoted texts, each with as many lines round it as make it stand once; undefined where there are too many. */
function editsOf(before: string, patch: string): FileEdit[] | undefined {
  const old = before.split(/(?<=\n)/);
  const spans: Replacement[] = [];
  for (const hunk of hunksOf(patch)) {
    const widened = widen(old, before, hunk);
    const last = spans.at(-1);
    if (last !== undefined && last.end >= widened.start) {
      last.lines.push(
        ...old.slice(last.end, widened.start),
        ...widened.lines.slice(Math.max(0, last.end - widened.start)),
      );
      last.end = widened.end;
    } else spans.push(widened);
  }
  const edits = spans.map(({ start, end, lines }) => ({
    before: old.slice(start, end).join(""),
    after: lines.join(""),
  }));
  return edits.length > 50 || edits.some((edit) => edit.before === "") ? undefined : edits;
}

function widen(
  old: readonly string[],
  text: string,
  { start, end, lines }: Replacement,
): Replacement {
  let [from, to] = [start, end];
  const isOnce = (quoted: string): boolean =>
    quoted !== "" && text.indexOf(quoted) === text.lastIndexOf(quoted);
  while (!isOnce(old.slice(from, to).join("")) && (from > 0 || to < old.length)) {
    from = Math.max(0, from - 1);
    to = Math.min(old.length, to + 1);
  }
  return {
    start: from,
    end: to,
    lines: [...old.slice(from, start), ...lines, ...old.slice(end, to)],
  };
}

function hunksOf(patch: string): Replacement[] {
  return patch
    .split(/^(?=@@ )/m)
    .slice(1)
    .map((hunk) => {
      const [head = "", ...body] = hunk.split(/(?<=\n)/);
      const [, line = "0", count = "1"] = /^@@ -(\d+)(?:,(\d+))? /.exec(head) ?? [];
      const start = count === "0" ? Number(line) : Number(line) - 1;
      const lines: string[] = [];
      let lastMark = "";
      for (const row of body) {
        // The line before it has no end.
        if (row.startsWith("\\")) {
          if (lastMark !== "-") lines.push((lines.pop() ?? "").replace(/\n$/, ""));
          continue;
        }
        lastMark = row.charAt(0);
        if (lastMark !== "-") lines.push(row.slice(1));
      }
      return { start, end: start + Number(count), lines };
    });
}

/** How models hand over a plan. */
export const wrappings: Readonly<Record<string, (plan: object) => string>> = {
  bare: (plan) => JSON.stringify(plan),
  fenced: (plan) => "```json\n" + JSON.stringify(plan, undefined, 2) + "\n```",
  "with prose around": (plan) =>
    `I looked at the files [1] and {all} of them fit. Here is the plan:\n\n${JSON.stringify(plan)}\n\nSay "apply" to go on.`,
  "escaped, with proposed_changes": (plan) => {
    const { actions, ...rest } = plan as { actions: unknown };
    return JSON.stringify(JSON.stringify({ ...rest, proposed_changes: { actions } }));
  },
};
