import type { FileChange } from "../place/file-change.ts";
import { readHunks } from "../place/read-hunks.ts";
import { planIssue, quote } from "../plan-issue.ts";
import { type ReadAt } from "./found-edits.ts";

const SECTION = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/;
const MOVE = /^\*\*\* Move to: (.+?)\s*$/;
const BEGIN = "*** Begin Patch";
const END = "*** End Patch";

/** Reads a patch in Codex's format, from `*** Begin Patch` to `*** End Patch`. */
export const readV4a: ReadAt = (lines, at) => {
  if (lines[at]?.trimEnd() !== BEGIN) return undefined;
  const changes: FileChange[] = [];
  let section: string[] = [];
  for (let line = at + 1; line < lines.length; line += 1) {
    const text = lines[line] ?? "";
    const marker = text.trimEnd();
    const isEnd = marker === END;
    if (!isEnd && !SECTION.test(marker)) {
      section.push(text);
      continue;
    }
    const change = readSection(section);
    if (typeof change === "string") return planIssue("ERR_PATCH_NOT_UNIFIED", change);
    if (change !== undefined) changes.push(change);
    if (isEnd) return { end: line + 1, format: "v4a", changes };
    section = [marker];
  }
  return planIssue("ERR_TRUNCATED", `The patch has no ${quote(END)}. Give the whole patch.`);
};

function readSection([header = "", ...body]: readonly string[]): FileChange | string | undefined {
  const [, verb, path = ""] = SECTION.exec(header) ?? [];
  if (verb === undefined) {
    const stray = [header, ...body].find((line) => line.trim() !== "");
    return stray === undefined ? undefined : `${quote(stray)} is not under any file of the patch.`;
  }
  if (verb === "Delete") return { type: "delete", path };
  if (verb === "Add") return readNewFile(path, body);
  const movedTo = MOVE.exec(body[0] ?? "")?.[1];
  return readUpdate(path, movedTo === undefined ? body : body.slice(1), movedTo);
}

/** Reads a new file, whose lines all begin with `+`. */
export function readNewFile(path: string, body: readonly string[]): FileChange | string {
  const lines = body.slice(0, body.findLastIndex((line) => line !== "") + 1);
  const wrong = lines.find((line) => line !== "" && !line.startsWith("+"));
  if (wrong !== undefined)
    return `${quote(path)} is added, but ${quote(wrong)} does not begin with +. Begin each line with +.`;
  return { type: "create", path, content: lines.map((line) => `${line.slice(1)}\n`).join("") };
}

/** Reads an existing file's hunks. */
export function readUpdate(
  path: string,
  body: readonly string[],
  movedTo?: string,
): FileChange | string {
  const hunks = readHunks(body);
  if (typeof hunks === "string") return `The update of ${quote(path)} ${hunks}.`;
  if (hunks.length === 0 && movedTo === undefined)
    return `The update of ${quote(path)} changes nothing. Give its lines with - and +.`;
  return { type: "hunks", path, hunks, movedTo };
}
