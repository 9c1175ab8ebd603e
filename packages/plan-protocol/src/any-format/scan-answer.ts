import type { Result } from "@ccl/core";
import { isRecord, parseJson } from "@ccl/core/json";

import { type FileChange, linesOf, type TextChange } from "../place/file-change.ts";
import { isPlanLike } from "../parse/read-plan.ts";
import { type PlanIssue, planIssue, quote, refusal } from "../plan-issue.ts";
import type { FoundEdits, ReadAt } from "./found-edits.ts";
import {
  ABOUT_FILE,
  BEFORE_OR_AFTER,
  CALLS_TAG,
  CODE,
  COMMAND,
  COMMAND_LINE,
  DIFF,
  DIFF_FILE,
  EDIT_MEMBER,
  INDENTED_FENCE,
  INFO_ON_FILE,
  MARK,
  MARKDOWN,
  MARK_IN_FILE,
  ON_FILE,
  OTHER_FILE,
  QUOTED_FENCE,
  REQUEST,
  SAVED_AS,
  SHELL,
  SHELL_FILE,
  TAG,
  WRITE,
} from "./edit-marks.ts";
import { pathIn, pathInComment, pathNamedIn, pathOfInfo, pathsIn } from "./path-in.ts";
import { callInTags } from "./call-in-tags.ts";
import { beginsBlock, readBlock, textAtMark } from "./read-blocks.ts";
import { readCalls, type ToolCalls } from "./read-calls.ts";
import { fenceEnd, fenceMarkIn } from "./read-fence.ts";
import { readUnifiedDiff } from "./read-unified-diff.ts";
import { readV4a } from "./read-v4a.ts";

/** The edits of an answer in its order, and whether it also holds a plan in this package's JSON. */
export interface ScannedAnswer {
  found: Omit<FoundEdits, "end">[];
  hasPlan: boolean;
  /** The fences that hold no edit, a sentence about each. */
  remarks: string[];
}

/** Readers of the formats whose first line says which it is. */
const READERS: readonly ReadAt[] = [readV4a, readUnifiedDiff];
/** Limits the search for JSON values that never end, since each one scans the rest of the answer. */
const MAX_OPEN_VALUES = 3;

/** Characters of a line that are searched for signs of an edit, since a hostile line is long. */
const MAX_HEAD = 500;
const NOTHING_ABOVE = { path: undefined, line: "" };

interface Scan {
  lines: string[];
  found: Omit<FoundEdits, "end">[];
  /** The last path that was seen. A block belongs to it. */
  path: string | undefined;
  /** The path of the last line that names one alone, until an edit follows. */
  named: string | undefined;
  /** The lines since the last edit or path. */
  between: string[];
  /** The last line that was not blank, and the path in it. */
  above: { path: string | undefined; line: string };
  hasPlan: boolean;
  openValues: number;
  /** Number of fences that hold edits. */
  wrappers: number;
  remarks: string[];
  /** A line of prose that looks like a part of an edit. */
  stray: string | undefined;
  /** Lines of prose that ask for a change. */
  requests: string[];
  /** The line above a fence that holds neither an edit nor a shell command. */
  unnamed: string | undefined;
}

/**
 * Finds the edits of all formats in an answer. Text that looks like an edit and that no reader accepts is an issue
 * that quotes it, so that an answer is followed completely or not at all.
 */
export function scanAnswer(answer: string): Result<ScannedAnswer> {
  const scan: Scan = {
    lines: linesOf(answer),
    found: [],
    path: undefined,
    named: undefined,
    between: [],
    above: NOTHING_ABOVE,
    hasPlan: false,
    openValues: 0,
    wrappers: 0,
    remarks: [],
    stray: undefined,
    requests: [],
    unnamed: undefined,
  };
  let at = 0;
  while (at < scan.lines.length) {
    const next = readFrom(scan, at);
    if (typeof next !== "number") return { ok: false, issues: [next] };
    at = next;
  }
  const { found, hasPlan, remarks, stray, requests, unnamed } = scan;
  if (stray !== undefined && (found.length > 0 || hasPlan))
    return refusal(
      "ERR_PATCH_NOT_UNIFIED",
      `${quote(stray)} may contain an edit besides those that were read. Give all edits in one format, and all calls in one list.`,
    );
  if (unnamed !== undefined && found.some(({ format }) => format === "whole_file"))
    return refusal(
      "ERR_PATCH_NOT_UNIFIED",
      `The fence under ${quote(unnamed)} has no path, while others are files. Put each file's path alone on the line above its fence.`,
    );
  const done = new Set(found.flatMap(({ changes }) => changes.map(({ path }) => path)));
  for (const line of requests)
    if (pathsIn(line).some((path) => OTHER_FILE.test(path) && !done.has(path)))
      remarks.push(`No edit does what ${quote(line.trim())} says.`);
  return { ok: true, value: { found, hasPlan, remarks } };
}

/** Reads what begins at a line. Returns the line to continue at. */
function readFrom(scan: Scan, at: number): number | PlanIssue {
  const { lines } = scan;
  const line = lines[at] ?? "";
  const indent = INDENTED_FENCE.exec(line)?.[1];
  if (indent !== undefined) {
    removeIndent(lines, at, indent);
    return at;
  }
  if (beginsBlock(line)) return takeBlock(scan, at);
  for (const read of READERS) {
    const edits = read(lines, at);
    if (edits === undefined) continue;
    if ("code" in edits) return edits;
    take(scan, edits);
    return edits.end;
  }
  if (fenceMarkIn(line) !== undefined) return takeFence(scan, at);
  if (/^\s*[{[<]/.test(line)) {
    const next = takeValue(scan, at);
    if (next !== undefined) return next;
  }
  if (CALLS_TAG.test(line)) return at + 1;
  const head = line.slice(0, MAX_HEAD);
  if (MARK.test(head) || TAG.test(head)) return leftOver(line);
  const isCode = scan.named !== undefined && CODE.test(head);
  if (isCode || EDIT_MEMBER.test(line) || COMMAND_LINE.test(head) || QUOTED_FENCE.test(head))
    scan.stray ??= line;
  if (REQUEST.test(head)) scan.requests.push(head);
  if (line.trim() !== "") {
    const path = pathIn(line);
    scan.above = { path, line };
    if (path === undefined) scan.between.push(head);
    else scan.between = [];
    scan.path = path ?? scan.path;
    scan.named = path ?? scan.named;
  }
  return at + 1;
}

/** Removes the indentation that the item of a list gives to a fence and all that follows in it. */
function removeIndent(lines: string[], from: number, indent: string): void {
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith(indent)) lines[at] = line.slice(indent.length);
    else if (line.trim() !== "") return;
  }
}

function take(scan: Scan, { format, changes }: Omit<FoundEdits, "end">): void {
  scan.found.push({ format, changes });
  scan.above = NOTHING_ABOVE;
  scan.named = undefined;
  scan.between = [];
}

function leftOver(line: string): PlanIssue {
  return planIssue(
    "ERR_PATCH_NOT_UNIFIED",
    `${quote(line)} belongs to no edit that can be read. Give each edit whole, all in one format.`,
  );
}

function takeBlock(scan: Scan, at: number): number | PlanIssue {
  const block = readBlock(scan.lines, at);
  if ("code" in block) return block;
  const { line } = scan.above;
  const atMark = textAtMark(scan.lines[at] ?? "");
  const named = pathIn(atMark) ?? pathNamedIn(line);
  const path = pathIn(atMark) ?? scan.path ?? named;
  if (path === undefined)
    return planIssue("ERR_INVALID_PATH", "A SEARCH block has no path above it.");
  if (named !== undefined && named !== path)
    return planIssue(
      "ERR_INVALID_PATH",
      `The SEARCH block under ${quote(line)} may belong to ${quote(path)} or to ${quote(named)}. Put its path alone on the line above it.`,
    );
  const other = [...scan.between, atMark].find(
    (text) => OTHER_FILE.test(text) && !text.includes(path),
  );
  if (other !== undefined)
    return planIssue(
      "ERR_INVALID_PATH",
      `The SEARCH block under ${quote(other)} may belong to another file than ${quote(path)}. Put its path alone on the line above it.`,
    );
  take(scan, { format: "search_replace", changes: [changeOf(path, block.text)] });
  return block.end;
}

function changeOf(path: string, text: TextChange): FileChange {
  return text.before === ""
    ? { type: "create", path, content: text.after }
    : { type: "replace", path, texts: [text] };
}

function takeFence(scan: Scan, at: number): number | PlanIssue {
  const { lines, above } = scan;
  const { mark, info } = fenceMarkIn(lines[at]) ?? { mark: "", info: "" };
  if (scan.wrappers > 0 && info === "") {
    scan.wrappers -= 1;
    return at + 1;
  }
  const path = pathOfInfo(info) ?? above.path;
  const first = nextLine(lines, at + 1);
  const end = closingLine(lines, at + 1, mark);
  if (
    beginsEdit(lines, first) ||
    (path === undefined &&
      lines.slice(at + 1, end).some((_, line) => beginsEdit(lines, at + 1 + line)))
  ) {
    scan.wrappers += 1;
    scan.path = path ?? scan.path;
    return at + 1;
  }
  if (path === undefined) return passFence(scan, { info, start: at + 1, end });
  if (SHELL.test(info) && !SHELL_FILE.test(path))
    return planIssue(
      "ERR_PATCH_NOT_UNIFIED",
      `The fence of ${quote(path)} contains commands, which are not run. Give the whole file, or an edit of it.`,
    );
  if (isDiff(info, lines.slice(at + 1, end)) && !DIFF_FILE.test(path))
    return takeDiff(scan, { path, start: at + 1, end });
  const limit = MARKDOWN.test(path) ? lines.length : nextFile(lines, end);
  const last = fenceEnd(lines, at, { path, limit });
  if (typeof last !== "number") return last;
  const body = lines.slice(at + 1, last);
  const block = body.find((text) => beginsBlock(text) || MARK_IN_FILE.test(text));
  if (block !== undefined && !MARKDOWN.test(path))
    return planIssue(
      "ERR_PATCH_NOT_UNIFIED",
      `The file ${quote(path)} contains ${quote(block)} below other text. Give the whole file, or blocks alone.`,
    );
  const [about = "", ...others] = body.filter((text) => text.trim() !== "");
  if (others.length === 0 && ABOUT_FILE.test(about))
    return planIssue(
      "ERR_PATCH_NOT_UNIFIED",
      `The fence of ${quote(path)} contains only ${quote(about)}. Leave the fence out, or delete the file by a patch.`,
    );
  const content = body.map((text) => `${text}\n`).join("");
  take(scan, { format: "whole_file", changes: [{ type: "whole", path, content }] });
  return last + 1;
}

/** True if a fence says that it is a diff, or each of its lines begins as one of a diff. */
function isDiff(info: string, body: readonly string[]): boolean {
  const begins = (mark: string): boolean => body.some((line) => line.startsWith(mark));
  const isAll = body.every((line) => line === "" || /^[-+ @\\]/.test(line));
  return DIFF.test(info) || (isAll && begins("-") && begins("+"));
}

/** Reads a diff below a path, which has no header of its own. */
function takeDiff(
  scan: Scan,
  { path, start, end }: { path: string; start: number; end: number },
): number | PlanIssue {
  const body = scan.lines.slice(start, end);
  const numbers = body.some((line) => line.startsWith("@@")) ? [] : ["@@ ... @@"];
  const edits = readUnifiedDiff([`--- ${path}`, `+++ ${path}`, ...numbers, ...body], 0);
  const isPlaced = body.some((line) => /^[- ]./.test(line));
  if (edits === undefined || "code" in edits || !isPlaced)
    return planIssue(
      "ERR_PATCH_NOT_UNIFIED",
      `The diff of ${quote(path)} cannot be placed. Begin it with "---" and "+++" lines, and give lines around each change.`,
    );
  take(scan, edits);
  return end + 1;
}

/** Skips a fence that only shows something. One that names a file may be that file. */
function passFence(
  scan: Scan,
  { info, start, end }: { info: string; start: number; end: number },
): number | PlanIssue {
  const { line } = scan.above;
  const head = line.slice(0, MAX_HEAD);
  const isShell = SHELL.test(info);
  const body = scan.lines.slice(start, end).map((inner) => inner.slice(0, MAX_HEAD));
  const mark = body.find(
    (inner) => MARK.test(inner) || WRITE.test(inner) || (isShell && COMMAND.test(inner)),
  );
  if (mark !== undefined) return leftOver(mark);
  const [first = "", ...others] = body.filter((inner) => inner.trim() !== "").slice(0, 3);
  const commented = [first, ...others].find((inner) => pathInComment(inner) !== undefined);
  const below = (scan.lines[nextLine(scan.lines, end + 1)] ?? "").slice(0, MAX_HEAD);
  const named = isShell
    ? commented
    : (commented ??
      (INFO_ON_FILE.test(info) || DIFF.test(info) ? info : undefined) ??
      (ON_FILE.test(head) || BEFORE_OR_AFTER.test(head) ? line : undefined) ??
      (SAVED_AS.test(below) ? below : scan.named));
  if (named !== undefined)
    return planIssue(
      "ERR_INVALID_PATH",
      `The fence with ${quote(named)} may be a file or an edit. Put the path alone on the line above it.`,
    );
  if (!isShell) scan.unnamed ??= line;
  if (first !== "")
    scan.remarks.push(
      isShell
        ? `The command ${quote(first.trim())} was not run.`
        : `The fence that begins with ${quote(first.trim())} names no file and changes nothing.`,
    );
  scan.above = NOTHING_ABOVE;
  return end + 1;
}

/** The next line that closes a fence opened by `mark`, or the end. */
function closingLine(lines: readonly string[], from: number, mark: string): number {
  let at = from;
  const isEnd = (line: string): boolean =>
    line.trim().startsWith(mark) && fenceMarkIn(line)?.info === "";
  while (at < lines.length && !isEnd(lines[at] ?? "")) at += 1;
  return at;
}

function nextLine(lines: readonly string[], from: number): number {
  let at = from;
  while (at < lines.length && lines[at]?.trim() === "") at += 1;
  return at;
}

/** Whether an edit begins at a line, in any format except `whole_file`. */
function beginsEdit(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  const isPath = pathIn(line) !== undefined && beginsBlock(lines[nextLine(lines, at + 1)]);
  return (
    isPath ||
    beginsBlock(line) ||
    READERS.some((read) => read(lines, at) !== undefined) ||
    (/^\s*[{[<]/.test(line) && editsIn(valueAt(lines, at)?.value) !== undefined)
  );
}

/** The start of the next file: a path alone on a line above a fence or a block. */
function nextFile(lines: readonly string[], from: number): number {
  const at = lines.findIndex((line, index) => {
    if (index < from || pathIn(line) === undefined) return false;
    const below = lines[nextLine(lines, index + 1)];
    return fenceMarkIn(below) !== undefined || beginsBlock(below);
  });
  return at < 0 ? lines.length : at;
}

/** Reads a JSON value that begins at a line. Undefined if it has no edits. */
function takeValue(scan: Scan, at: number): number | PlanIssue | undefined {
  if (scan.openValues >= MAX_OPEN_VALUES) return undefined;
  const found = valueAt(scan.lines, at);
  if (found === undefined && !scan.lines[at]?.includes("<")) scan.openValues += 1;
  const text = found?.text ?? scan.lines[at] ?? "";
  const edits = editsIn(found?.value);
  if (edits === undefined) {
    const isBroken = found?.value === undefined && EDIT_MEMBER.test(text);
    if (!isBroken) return undefined;
    if (scan.found.length > 0)
      return planIssue(
        "ERR_TRUNCATED",
        `${quote(text)} is not a complete call. Give all calls in full.`,
      );
    // If it is the answer's only value, it may still be repaired.
    return found?.end ?? scan.lines.length;
  }
  if (edits === "plan") scan.hasPlan = true;
  else {
    const read = "code" in edits ? edits : editsOfCalls(edits);
    if ("code" in read) return read;
    scan.found.push(...read);
  }
  if (found === undefined) return at + 1;
  // The rest of the value's last line is read too.
  const last = found.end - 1;
  scan.lines[last] = found.rest;
  return found.rest.trim() === "" ? found.end : last;
}

/** The changes of the calls and of the patches inside them. */
export function editsOfCalls({ changes, texts }: ToolCalls): ScannedAnswer["found"] | PlanIssue {
  const found: ScannedAnswer["found"] =
    changes.length === 0 ? [] : [{ format: "str_replace", changes }];
  for (const patch of texts) {
    const inner = scanAnswer(patch);
    if (!inner.ok) return planIssue("ERR_PATCH_NOT_UNIFIED", inner.issues[0]?.message ?? "");
    found.push(...inner.value.found);
  }
  return found;
}

function editsIn(value: unknown): "plan" | ReturnType<typeof readCalls> {
  const members = Array.isArray(value) ? value : [value];
  const isPlan = members.some(
    (one) => isRecord(one) && ("actions" in one || "proposed_changes" in one || "kind" in one),
  );
  return isPlan && isPlanLike(value) ? "plan" : readCalls(value);
}

/**
 * Extracts a JSON value or a call in tags, the rest of its last line and the line after it. The value is undefined if
 * the brackets close but the text is not JSON.
 */
function valueAt(
  lines: readonly string[],
  at: number,
): { value: unknown; text: string; rest: string; end: number } | undefined {
  if (lines[at]?.trimStart().startsWith("<") === true) {
    const call = callInTags(lines, at);
    return call && { ...call, text: "", rest: "" };
  }
  let depth = 0;
  let isString = false;
  for (let end = at; end < lines.length; end += 1) {
    const line = lines[end] ?? "";
    for (let index = 0; index < line.length; index += 1) {
      const character = line.charAt(index);
      if (isString && character === "\\") index += 1;
      else if (character === '"') isString = !isString;
      else if (!isString && "{[".includes(character)) depth += 1;
      else if (!isString && "}]".includes(character)) depth -= 1;
      if (depth > 0 || isString || !"}]".includes(character)) continue;
      const text = [...lines.slice(at, end), line.slice(0, index + 1)].join("\n");
      return { value: parseJson(text), text, rest: line.slice(index + 1), end: end + 1 };
    }
  }
  return undefined;
}
