import { type PlanIssue, planIssue, quote } from "../plan-issue.ts";

const FENCE = /^\s{0,3}(`{3,}|~{3,})\s*(.*)$/;

/** A line that opens or closes a fence. */
export interface FenceMark {
  mark: string;
  info: string;
}

/** Parses a line that opens or closes a fence. Undefined for other lines. */
export function fenceMarkIn(line: string | undefined): FenceMark | undefined {
  const [, mark, info = ""] = FENCE.exec(line ?? "") ?? [];
  return mark === undefined ? undefined : { mark, info: info.trim() };
}

/**
 * Returns the line before `limit` that closes the fence opened at a line. The fence lines in between must pair up, and
 * so must those after it. Returns an issue if no line or more than one could close it.
 */
export function fenceEnd(
  lines: readonly string[],
  at: number,
  { path, limit }: { path: string; limit: number },
): number | PlanIssue {
  const opening = fenceMarkIn(lines[at])?.mark ?? "";
  const marks: { line: number; isBare: boolean }[] = [];
  for (let line = at + 1; line < limit; line += 1) {
    const found = fenceMarkIn(lines[line]);
    if (found?.mark.charAt(0) === opening.charAt(0) && found.mark.length >= opening.length)
      marks.push({ line, isBare: found.info === "" });
  }
  const isPaired = (from: number, to: number): boolean => {
    const inside = marks.slice(from, to);
    return (
      inside.length % 2 === 0 && inside.every(({ isBare }, index) => index % 2 === 0 || isBare)
    );
  };
  const ends = marks.filter(
    ({ isBare }, index) => isBare && isPaired(0, index) && isPaired(index + 1, marks.length),
  );
  const [only, ...others] = ends;
  if (only === undefined)
    return marks.length === 0
      ? planIssue("ERR_TRUNCATED", `The fence of ${quote(path)} has no end. Give the whole file.`)
      : unclear(path, "does not pair with the fences in it");
  return others.length === 0 ? only.line : unclear(path, "may end at several lines");
}

function unclear(path: string, how: string): PlanIssue {
  return planIssue(
    "ERR_PATCH_NOT_UNIFIED",
    `The fence of ${quote(path)} ${how}. Open and close the file with four backquotes (\`\`\`\`), and no other fence with as many.`,
  );
}
