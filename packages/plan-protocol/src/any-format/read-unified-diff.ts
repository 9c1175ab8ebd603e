import type { FileChange } from "../place/file-change.ts";
import { nameOfHeader, readHunks } from "../place/read-hunks.ts";
import { planIssue, quote } from "../plan-issue.ts";
import { type ReadAt } from "./found-edits.ts";

/** Suffix of a name for the file before or after the change, as in `diff -u a.ts a.ts.new`. */
const COPY = /(?<=\.\w+)\.(?:new|old|orig|bak)$/;
const RENAME = /^rename (from|to) (.+?)\s*$/;

/** Reads one file's unified diff. Hunk headers have line numbers or are a bare `@@`. */
export const readUnifiedDiff: ReadAt = (lines, at) => {
  if (lines[at]?.startsWith("diff --git ") === true) return readGitHeader(lines, at);
  if (!isHeader(lines, at)) return undefined;
  const from = nameOfHeader(lines[at] ?? "")?.replace(COPY, "");
  const to = nameOfHeader(lines[at + 1] ?? "")?.replace(COPY, "");
  const end = fileEnd(lines, at + 2);
  const hunks = readHunks(lines.slice(at + 2, end));
  const name = to ?? from ?? "/dev/null";
  if (typeof hunks === "string")
    return planIssue(
      hunks.startsWith("ends") ? "ERR_TRUNCATED" : "ERR_PATCH_NOT_UNIFIED",
      `The diff of ${quote(name)} ${hunks}. Give the whole diff.`,
    );
  let change: FileChange;
  if (from === undefined) {
    const added = hunks.flatMap((hunk) => hunk.lines.filter(({ mark }) => mark === "+"));
    const content = added.map(({ text, isOpen }) => `${text}${isOpen === true ? "" : "\n"}`);
    change = { type: "create", path: name, content: content.join("") };
  } else if (to === undefined) change = { type: "delete", path: from };
  else if (hunks.length === 0 && from === to)
    return planIssue("ERR_PATCH_NOT_UNIFIED", `The diff of ${quote(to)} changes nothing.`);
  else change = { type: "hunks", path: from, hunks, movedTo: from === to ? undefined : to };
  return { end, format: "unified_diff", changes: [change] };
};

/** Reads git's lines above the file header. A pure rename has no other header. */
function readGitHeader(lines: readonly string[], at: number): ReturnType<ReadAt> {
  const names: Record<string, string> = {};
  let end = at + 1;
  while (/^(?:index |similarity |rename |copy |(?:new|old|deleted) )/.test(lines[end] ?? "")) {
    const [, side = "", name = ""] = RENAME.exec(lines[end] ?? "") ?? [];
    if (name !== "") names[side] = name;
    end += 1;
  }
  if (isHeader(lines, end)) return readUnifiedDiff(lines, end);
  const { from: path, to: movedTo } = names;
  if (path === undefined || movedTo === undefined)
    return planIssue(
      "ERR_PATCH_NOT_UNIFIED",
      `${quote(lines[at] ?? "")} has no text of the file below it. Give its lines, or leave it out.`,
    );
  return {
    end,
    format: "unified_diff",
    changes: [{ type: "hunks", path, hunks: [], movedTo }],
  };
}

function isHeader(lines: readonly string[], at: number): boolean {
  return lines[at]?.startsWith("--- ") === true && lines[at + 1]?.startsWith("+++ ") === true;
}

/** Returns where a file's diff ends: at a fence, the next file, or prose after an empty line. */
function fileEnd(lines: readonly string[], start: number): number {
  let hasHunk = false;
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith("@@")) hasHunk = true;
    if (/^(?:```|~~~|diff --git |Index: )/.test(line) || isHeader(lines, at)) return at;
    if (hasHunk && lines[at - 1] === "" && /^[^\s@+\\-]/.test(line)) return at;
  }
  return lines.length;
}
