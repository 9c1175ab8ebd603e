import { type Result, success } from "@ccl/core";

import { quote } from "../plan-issue.ts";
import { type ChangeHunk, type FileChange, linesOf, refuseFormat } from "./file-change.ts";
import { readHunks, readLine, withoutBlankEnd } from "./read-v4a.ts";

const HEADER = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/;

/** Reads unified diffs of any number of files, whose hunks have line numbers or only `@@`. */
export function readUnifiedDiff(answer: string): Result<FileChange[]> {
  const lines = linesOf(answer);
  const changes: FileChange[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const next = lines[at + 1] ?? "";
    if (!line.startsWith("--- ") || !next.startsWith("+++ ")) continue;
    const end = fileEnd(lines, at + 2);
    const from = nameOf(line);
    const to = nameOf(next);
    const body = lines.slice(at + 2, end);
    const hunks = splitHunks(body);
    if (typeof hunks === "string") return refuseFormat("ERR_TRUNCATED", hunks);
    if (from === undefined && to !== undefined) {
      const added = hunks.flatMap((hunk) => hunk.lines.filter(({ mark }) => mark === "+"));
      const content = added.map(({ text }) => `${text}\n`).join("");
      changes.push({ type: "create", path: to, content });
    } else if (to === undefined && from !== undefined) changes.push({ type: "delete", path: from });
    else if (from !== undefined && to !== undefined) {
      const movedTo = from === to ? undefined : to;
      if (hunks.length === 0 && movedTo === undefined)
        return refuseFormat("ERR_PATCH_NOT_UNIFIED", `The diff of ${quote(to)} changes nothing.`);
      changes.push({ type: "hunks", path: from, hunks, movedTo });
    }
    at = end - 1;
  }
  return success(changes);
}

/** Where the diff of one file ends: at a fence, the next file, or prose after an empty line. */
function fileEnd(lines: readonly string[], start: number): number {
  let hasHunk = false;
  for (let at = start; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith("@@")) hasHunk = true;
    if (/^(?:```|diff --git |Index: )/.test(line)) return at;
    if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ") === true) return at;
    const isProse = hasHunk && lines[at - 1] === "" && /^[^\s@+\\-]/.test(line);
    if (isProse) return at;
  }
  return lines.length;
}

function nameOf(header: string): string | undefined {
  const name = header
    .slice(4)
    .replace(/\t.*$/, "")
    .trimEnd()
    .replace(/^"(.*)"$/, "$1");
  if (name === "/dev/null") return undefined;
  return /^[ab]\//.test(name) ? name.slice(2) : name;
}

/** The hunks of one file, numbered or not; a text if the last one ends before its counts do. */
export function splitHunks(body: readonly string[]): ChangeHunk[] | string {
  if (!body.some((line) => HEADER.test(line))) return readHunks(body);
  const hunks: ChangeHunk[] = [];
  let counts = { old: 0, new: 0 };
  for (const line of body) {
    const header = HEADER.exec(line);
    if (header !== null) {
      counts = { old: Number(header[2] ?? 1), new: Number(header[3] ?? 1) };
      hunks.push({ lines: [], statedAt: Math.max(0, Number(header[1]) - 1) });
    } else if (line.startsWith("@@")) hunks.push({ lines: [] });
    else if (!line.startsWith("\\")) hunks.at(-1)?.lines.push(readLine(line));
  }
  const last = hunks.at(-1);
  const sizeOf = (without: string): number =>
    last?.lines.filter(({ mark }) => mark !== without).length ?? 0;
  const missingOld = counts.old - sizeOf("+");
  const missingNew = counts.new - sizeOf("-");
  if (missingNew > 0 && missingOld !== missingNew)
    return "The last hunk ends before its counts do. Give the whole diff.";
  return hunks.map(withoutBlankEnd).filter((one) => one.lines.some(({ mark }) => mark !== " "));
}
