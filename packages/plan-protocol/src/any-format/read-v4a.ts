import { type Result, success } from "@ccl/core";

import { quote } from "../plan-issue.ts";
import { type ChangeHunk, type FileChange, linesOf, refuseFormat } from "./file-change.ts";

const SECTION = /^\*\*\* (Add|Update|Delete) File: (.+?)\s*$/;
const MOVE = /^\*\*\* Move to: (.+?)\s*$/;
const BEGIN = "*** Begin Patch";
const END = "*** End Patch";

/** Reads patches in the format of Codex, `*** Begin Patch` to `*** End Patch`. */
export function readV4a(answer: string): Result<FileChange[]> {
  const changes: FileChange[] = [];
  let section: string[] | undefined;
  let isOpen = false;
  const close = (): Result<FileChange[]> | undefined => {
    const [header = "", ...body] = section ?? [];
    section = undefined;
    const change = header === "" ? undefined : readSection(header, body);
    if (change === undefined) return undefined;
    if (typeof change === "string") return refuseFormat("ERR_PATCH_NOT_UNIFIED", change);
    changes.push(change);
    return undefined;
  };
  for (const line of linesOf(answer)) {
    const marker = line.trimEnd();
    if (marker === BEGIN) isOpen = true;
    else if (isOpen && (marker === END || SECTION.test(marker))) {
      const refused = close();
      if (refused !== undefined) return refused;
      isOpen = marker !== END;
      if (isOpen) section = [marker];
    } else if (isOpen) section?.push(line);
  }
  if (isOpen)
    return refuseFormat("ERR_TRUNCATED", `The patch has no ${quote(END)}. Give the whole patch.`);
  return success(changes);
}

function readSection(header: string, body: readonly string[]): FileChange | string {
  const [, verb, path = ""] = SECTION.exec(header) ?? [];
  if (verb === "Delete") return { type: "delete", path };
  if (verb === "Add") {
    const wrong = body.find((line) => line !== "" && !line.startsWith("+"));
    if (wrong !== undefined)
      return `${quote(path)} is added, but ${quote(wrong)} does not begin with +. Begin each line with +.`;
    return { type: "create", path, content: body.map((line) => `${line.slice(1)}\n`).join("") };
  }
  const movedTo = MOVE.exec(body[0] ?? "")?.[1];
  const hunks = readHunks(movedTo === undefined ? body : body.slice(1));
  if (hunks.length === 0 && movedTo === undefined)
    return `The update of ${quote(path)} changes nothing. Give its lines with - and +.`;
  return { type: "hunks", path, hunks, movedTo };
}

/** Hunks whose headers are `@@`, alone or with a line that stands above the place. */
export function readHunks(body: readonly string[]): ChangeHunk[] {
  const hunks: ChangeHunk[] = [];
  let hunk: ChangeHunk | undefined;
  for (const line of body) {
    if (line.startsWith("*** End of File") || line.startsWith("\\ No newline")) continue;
    if (line.startsWith("@@")) {
      const under = line.replace(/^@@\s?(?:\.\.\.)?\s?(?:@@)?/, "").trim();
      hunk = { lines: [], under: under === "" ? undefined : under };
      hunks.push(hunk);
      continue;
    }
    if (hunk === undefined) {
      if (line.trim() === "") continue;
      hunk = { lines: [] };
      hunks.push(hunk);
    }
    hunk.lines.push(readLine(line));
  }
  return hunks.map(withoutBlankEnd).filter((one) => one.lines.some(({ mark }) => mark !== " "));
}

/** A line of a hunk; one without a mark is context whose space was lost. */
export function readLine(line: string): ChangeHunk["lines"][number] {
  const mark = line.charAt(0);
  if (mark === " ") return { mark, text: line.slice(1), whole: line };
  if (mark === "-" || mark === "+") return { mark, text: line.slice(1) };
  return { mark: " ", text: line };
}

/** A blank line at the end is as likely the answer's as the file's. */
export function withoutBlankEnd(hunk: ChangeHunk): ChangeHunk {
  const lines = [...hunk.lines];
  while (lines.at(-1)?.mark === " " && lines.at(-1)?.text === "") lines.pop();
  return { ...hunk, lines };
}
