import { type Result, success } from "@ccl/core";

import { quote } from "../plan-issue.ts";
import { type FileChange, linesOf, refuseFormat } from "./file-change.ts";

const SEARCH = /^<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)\b/;
const DIVIDER = /^={5,9}\s*$/;
const REPLACE = /^>{5,9} ?(?:REPLACE|UPDATED)\b/;
const FENCE = /^\s{0,3}(`{3,}|~{3,})\s*(.*)$/;
const NAME = /^[\w.@~+()[\]-]+(?:[\\/][\w.@~+()[\]-]+)*$/;

/** Reads blocks of `<<<<<<< SEARCH`, `=======` and `>>>>>>> REPLACE`, each under the path of its file. */
export function readSearchReplace(answer: string): Result<FileChange[]> {
  const lines = linesOf(answer);
  const byPath = new Map<string, { before: string; after: string }[]>();
  let path: string | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    if (!SEARCH.test(lines[at] ?? "")) {
      path = pathIn(lines[at] ?? "") ?? path;
      continue;
    }
    const divider = indexFrom(lines, at + 1, DIVIDER);
    const end = divider < 0 ? -1 : indexFrom(lines, divider + 1, REPLACE);
    if (end < 0 || lines.slice(at + 1, end).some((line) => SEARCH.test(line)))
      return refuseFormat("ERR_TRUNCATED", "A SEARCH block has no end. Give all of its lines.");
    if (path === undefined)
      return refuseFormat("ERR_INVALID_PATH", "A SEARCH block has no path above it.");
    const texts = byPath.get(path) ?? [];
    byPath.set(path, texts);
    texts.push({
      before: lines
        .slice(at + 1, divider)
        .map((line) => `${line}\n`)
        .join(""),
      after: lines
        .slice(divider + 1, end)
        .map((line) => `${line}\n`)
        .join(""),
    });
    at = end;
  }
  return success(
    [...byPath].map(([name, texts]): FileChange => {
      const [only, ...others] = texts;
      return only?.before === "" && others.length === 0
        ? { type: "create", path: name, content: only.after }
        : { type: "replace", path: name, texts };
    }),
  );
}

/** Reads files that are given whole, each in a fence with its path above it or behind the fence's mark. */
export function readWholeFiles(answer: string): Result<FileChange[]> {
  const lines = linesOf(answer);
  const changes: FileChange[] = [];
  let above: string | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const [, mark, info = ""] = FENCE.exec(line) ?? [];
    if (mark === undefined) {
      if (line.trim() !== "") above = pathIn(line);
      continue;
    }
    const path = pathOfInfo(info) ?? above;
    const end = fenceEnd(lines, at + 1, mark);
    if (end < 0) return refuseFormat("ERR_TRUNCATED", "A fence has no end. Give the whole file.");
    above = undefined;
    if (path !== undefined) {
      const content = lines
        .slice(at + 1, end)
        .map((text) => `${text}\n`)
        .join("");
      changes.push({ type: "whole", path, content });
    }
    at = end;
  }
  const twice = changes.find(
    (one, index) => changes.findIndex(({ path }) => path === one.path) < index,
  );
  return twice === undefined
    ? success(changes)
    : refuseFormat("ERR_ACTION_CONFLICT", `${quote(twice.path)} is given twice. Give it once.`);
}

// A file may hold fences itself: those inside come in pairs, and the last mark alone that leaves none open is the end.
function fenceEnd(lines: readonly string[], start: number, mark: string): number {
  let depth = 1;
  for (let at = start; at < lines.length; at += 1) {
    const [, inner, info = ""] = FENCE.exec(lines[at] ?? "") ?? [];
    if (inner === undefined || inner.charAt(0) !== mark.charAt(0) || inner.length < mark.length)
      continue;
    depth += info.trim() === "" ? -1 : 1;
    if (depth === 0) return at;
  }
  return -1;
}

function indexFrom(lines: readonly string[], from: number, pattern: RegExp): number {
  for (let at = from; at < lines.length; at += 1) if (pattern.test(lines[at] ?? "")) return at;
  return -1;
}

function pathOfInfo(info: string): string | undefined {
  const words = info.split(/[\s:]+/).map((word) => word.replace(/^(?:path|file|title)=/, ""));
  const named = words.map((word) => word.replace(/^"(.*)"$/, "$1"));
  return named.find((word) => word.includes("/") || /^[\w-]+\.[a-z]\w{0,5}$/i.test(word));
}

/** The path that a line consists of, as a heading, in bold, in backquotes or with a colon. */
function pathIn(line: string): string | undefined {
  const bare = line
    .trim()
    .replace(/^(?:#{1,6}|[-*]|\d+\.)\s+/, "")
    .replace(/^(?:\/\/|File:|Path:)\s*/i, "")
    .replace(/^\*\*(.*?)\*\*:?$/, "$1")
    .replace(/:$/, "")
    .replace(/^`(.*)`$/, "$1")
    .trim();
  const isPath = NAME.test(bare) && (bare.includes("/") || /\.\w{1,8}$|^[A-Z]\w+file$/.test(bare));
  return isPath ? bare : undefined;
}
