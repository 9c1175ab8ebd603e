import { quote } from "../plan-issue.ts";
import { type ChangeHunk, type ChangeLine, linesOf } from "./file-change.ts";

const NUMBERED = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/;
const PREAMBLE = /^(?:diff --git |index [0-9a-f]+\.\.|Index: |=+$|$)/;

interface ReadHunk extends ChangeHunk {
  under: string[];
  /** Line counts for each side, from a numbered header. */
  counts?: { old: number; new: number } | undefined;
}

/**
 * Reads one file's hunks, or returns what is wrong. Headers are numbered, a bare `@@`, or `@@` and a line above the
 * hunk.
 */
export function readHunks(body: readonly string[]): ChangeHunk[] | string {
  const hunks: ReadHunk[] = [];
  for (const line of body) {
    const last = hunks.at(-1);
    if (line.startsWith("*** End of File")) continue;
    if (line.startsWith("@@")) {
      const [header, start, old = "1", fresh = "1"] = NUMBERED.exec(line) ?? [];
      const under = line.replace(/^@@\s?(?:\.\.\.)?\s?(?:@@)?/, "").trim();
      const named = header !== undefined || under === "" ? [] : [under];
      // Consecutive headers lead from a class to one of its members.
      if (last?.lines.length === 0 && last.counts === undefined && header === undefined)
        last.under.push(...named);
      else {
        const counts = header === undefined ? undefined : { old: Number(old), new: Number(fresh) };
        const statedAt = start === undefined ? undefined : Math.max(0, Number(start) - 1);
        hunks.push({ lines: [], under: named, statedAt, counts });
      }
    } else if (line.startsWith("\\")) {
      const ended = last?.lines.at(-1);
      if (ended !== undefined) ended.isOpen = true;
    } else if (last !== undefined) last.lines.push(readLine(line));
    else if (line.trim() !== "") hunks.push({ lines: [readLine(line)], under: [] });
  }
  const problem = hunks.flatMap((hunk, index) => problemOf(hunk, index === hunks.length - 1) ?? []);
  if (problem[0] !== undefined) return problem[0];
  return hunks
    .map(({ counts: _counts, ...hunk }) => ({ ...hunk, lines: withoutBlankEnd(hunk.lines) }))
    .filter(({ lines }) => lines.some(({ mark }) => mark !== " "));
}

/** Reads the hunks of a single-file patch, or returns why it is not one. `paths` are the names its headers may have. */
export function readPatch(patch: string, paths: readonly string[]): ChangeHunk[] | string {
  const lines = linesOf(patch);
  const first = lines.findIndex((line) => line.startsWith("@@"));
  if (first < 0) return "has no line that begins with @@";
  const headers = lines.slice(0, first).filter((line) => !PREAMBLE.test(line.trimEnd()));
  const [from = "--- ", to = "+++ ", ...others] = headers;
  if (!from.startsWith("--- ") || !to.startsWith("+++ ") || others.length > 0)
    return `has ${quote(others[0] ?? (from.startsWith("--- ") ? to : from))} before its first hunk`;
  const names = headers.map((header) => nameOfHeader(header));
  const wrong = names.find(
    (name) => !paths.some((path) => [path, `./${path}`].includes(name ?? "")),
  );
  if (headers.length > 0 && wrong !== undefined)
    return `names ${quote(wrong)} in a header, not the file of the action`;
  const body = lines.slice(first);
  if (body.some((line, at) => line.startsWith("--- ") && body[at + 1]?.startsWith("+++ ") === true))
    return "changes more than one file";
  const hunks = readHunks(body);
  return typeof hunks !== "string" && hunks.length === 0 ? "changes nothing" : hunks;
}

/** Returns the path in a `---` or `+++` line, or undefined for `/dev/null`. */
export function nameOfHeader(header: string): string | undefined {
  const name = header
    .slice(4)
    .replace(/\t.*$|\s+\d{4}-\d\d-\d\d[ T]\d\d:.*$/, "")
    .trimEnd()
    .replace(/^"(.*)"$/, "$1");
  if (name === "/dev/null") return undefined;
  return /^[ab]\//.test(name) ? name.slice(2) : name;
}

/** Reads a hunk line. A line without a marker is context that lost its space. */
function readLine(line: string): ChangeLine {
  const mark = line.charAt(0);
  if (mark === " ") return { mark, text: line.slice(1), whole: line };
  if (mark === "-" || mark === "+") return { mark, text: line.slice(1) };
  return { mark: " ", text: line };
}

function problemOf({ lines, counts }: ReadHunk, isLast: boolean): string | undefined {
  if (counts === undefined) return undefined;
  const kept = withoutBlankEnd(lines);
  const missing = (all: readonly ChangeLine[], without: string, count: number): number =>
    count - all.filter(({ mark }) => mark !== without).length;
  const isRight = [kept, lines].some(
    (all) => missing(all, "+", counts.old) === 0 && missing(all, "-", counts.new) === 0,
  );
  if (isRight) return undefined;
  const bare = kept.find(
    ({ mark, text, whole }) => mark === " " && whole === undefined && text !== "",
  );
  if (bare !== undefined)
    return `has ${quote(bare.text)} inside a hunk; each line begins with a space, + or -`;
  const missingNew = missing(lines, "-", counts.new);
  return isLast && missingNew > 0 && missing(lines, "+", counts.old) !== missingNew
    ? "ends before the counts of its last hunk do"
    : undefined;
}

/** Drops a trailing blank line, which may belong to the answer rather than the file. */
function withoutBlankEnd(lines: readonly ChangeLine[]): ChangeLine[] {
  const isLine = ({ mark, text, whole }: ChangeLine): boolean =>
    mark !== " " || text !== "" || whole !== undefined;
  return lines.slice(0, lines.findLastIndex(isLine) + 1);
}
