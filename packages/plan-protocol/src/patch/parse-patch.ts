import { failure, type Result, success } from "@ccl/core";

import { quote } from "../plan-issue.ts";

/** One line of a hunk, its mark taken off. */
export interface HunkLine {
  kind: "context" | "removed" | "added";
  text: string;
  /** False where the patch says that the file ends here without a line end. */
  hasLineEnd: boolean;
}

/** One place that a patch changes. */
export interface Hunk {
  /** The first line in the old file as stated, from 1; 0 where the file is empty. */
  oldStart: number;
  lines: HunkLine[];
  /** True if the header's counts are those of the lines. */
  isCountRight: boolean;
}

interface HunkHeader {
  oldStart: number;
  oldCount: number;
  newCount: number;
}

const HUNK_HEADER = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;
const GIT_HEADER = /^(?:diff --git |index [0-9a-f]+\.\.)/;

/**
 * The hunks of a unified diff of one file; `path` is what its headers must name where it has any. Anything else is
 * `ERR_PATCH_NOT_UNIFIED`: prose, several files, renames, modes, binary data, `/dev/null`.
 */
export function parsePatch(patch: string, path?: string): Result<Hunk[]> {
  const lines = splitPatch(patch);
  const first = lines.findIndex((line) => line.startsWith("@@"));
  const headerProblem =
    first < 0 ? "has no line that begins with @@" : problemOfHeaders(lines.slice(0, first), path);
  if (headerProblem !== undefined) return refuse(headerProblem);
  const hunks: Hunk[] = [];
  for (let at = first; at < lines.length;) {
    const header = readHunkHeader(lines[at] ?? "");
    if (header === undefined)
      return refuse(`has ${quote(lines[at] ?? "")} where "@@ -line,count +line,count @@" belongs`);
    const end = hunkEnd(lines, at + 1, header);
    const body = readBody(lines.slice(at + 1, end), header);
    if (typeof body === "string") return refuse(body);
    hunks.push(body);
    at = end;
  }
  return success(hunks);
}

/** Lines without their ends; carriage returns stay where they belong to the file and not to the patch's transport. */
function splitPatch(patch: string): string[] {
  const lines = patch.replace(/\n$/, "").split("\n");
  const isSentWithReturns = lines.some((line) => line.startsWith("@@") && line.endsWith("\r"));
  return isSentWithReturns
    ? lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
    : lines;
}

function problemOfHeaders(lines: readonly string[], path: string | undefined): string | undefined {
  const rest = lines
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !isPreamble(line));
  if (rest.length === 0) return undefined;
  const [from = "", to = "", ...others] = rest;
  if (!from.startsWith("--- ") || !to.startsWith("+++ ") || others.length > 0)
    return `has ${quote(others[0] ?? (from.startsWith("--- ") ? to : from))} before its first hunk`;
  const wrong = [from, to].find((line) => path !== undefined && !isNameOf(line.slice(4), path));
  return wrong === undefined
    ? undefined
    : `names ${quote(wrong.slice(4))} in a header, not the file of the action`;
}

function isPreamble(line: string): boolean {
  return GIT_HEADER.test(line) || line.startsWith("Index: ") || /^=+$/.test(line);
}

function isNameOf(header: string, path: string): boolean {
  const name = header.replace(/\t.*$/, "").replace(/^"(.*)"$/, "$1");
  return name === path || name === `a/${path}` || name === `b/${path}` || name === `./${path}`;
}

function readHunkHeader(line: string): HunkHeader | undefined {
  const match = HUNK_HEADER.exec(line);
  if (match === null) return undefined;
  const [, oldStart, oldCount = "1", , newCount = "1"] = match;
  return { oldStart: Number(oldStart), oldCount: Number(oldCount), newCount: Number(newCount) };
}

/** Where a hunk's body ends: where its counts are used up, or else before the next header. */
function hunkEnd(
  lines: readonly string[],
  start: number,
  { oldCount, newCount }: HunkHeader,
): number {
  let oldLeft = oldCount;
  let newLeft = newCount;
  let end = start;
  while (end < lines.length && (oldLeft > 0 || newLeft > 0)) {
    const mark = lines[end]?.[0] ?? " ";
    if (mark === "@") break;
    if (mark === "-" || mark === " ") oldLeft -= 1;
    if (mark === "+" || mark === " ") newLeft -= 1;
    end += 1;
  }
  while (lines[end]?.startsWith("\\") === true) end += 1;
  if (oldLeft === 0 && newLeft === 0 && isBoundary(lines, end)) return end;
  // The counts are wrong: the hunk goes as far as the next header.
  const next = lines.findIndex((line, index) => index >= start && HUNK_HEADER.test(line));
  return next < 0 ? lines.length : next;
}

function isBoundary(lines: readonly string[], at: number): boolean {
  return at >= lines.length || lines[at]?.startsWith("@@") === true;
}

function readBody(
  body: readonly string[],
  { oldStart, oldCount, newCount }: HunkHeader,
): Hunk | string {
  const isFileHeader = body.findIndex(
    (line, at) => line.startsWith("--- ") && body[at + 1]?.startsWith("+++ ") === true,
  );
  const lines: HunkLine[] = [];
  for (const line of body) {
    const kind = kindOf(line);
    const last = lines.at(-1);
    if (kind !== undefined) lines.push({ kind, text: line.slice(1), hasLineEnd: true });
    else if (line.startsWith("\\") && last !== undefined) last.hasLineEnd = false;
    else return `has ${quote(line)} inside a hunk; each line begins with a space, + or -`;
  }
  const isRight = (): boolean =>
    countOf(lines, "added") === oldCount && countOf(lines, "removed") === newCount;
  // Blank lines at the end are as likely the end of the answer as context whose space was trimmed.
  while (!isRight() && lines.at(-1)?.text === "" && body[lines.length - 1] === "") lines.pop();
  const isCountRight = isRight();
  if (isFileHeader >= 0 && !isCountRight) return "changes more than one file";
  if (lines.every((line) => line.kind === "context")) return "has a hunk that changes nothing";
  return { oldStart, lines, isCountRight };
}

function kindOf(line: string): HunkLine["kind"] | undefined {
  const mark = line[0] ?? " ";
  if (mark === "+") return "added";
  if (mark === "-") return "removed";
  return mark === " " || line === "\r" ? "context" : undefined;
}

/** The lines of one side: all but those of the given kind. */
function countOf(lines: readonly HunkLine[], without: "added" | "removed"): number {
  return lines.filter((line) => line.kind !== without).length;
}

function refuse(reason: string): Result<Hunk[]> {
  const message = `The patch ${reason}. Give a unified diff of this one file.`;
  return failure({ code: "ERR_PATCH_NOT_UNIFIED", path: [], message });
}
