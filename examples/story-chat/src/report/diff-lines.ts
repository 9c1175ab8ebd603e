/** A line of a comparison. */
export interface DiffLine {
  kind: "same" | "removed" | "added";
  text: string;
}

/** The lines of two short texts side by side, by their longest common subsequence. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [left, right] = [before, after].map((text) => (text === "" ? [] : text.split("\n")));
  if (left === undefined || right === undefined) return [];
  // common[i][j]: how many lines the ends from i and from j have in common.
  const common = Array.from({ length: left.length + 1 }, () => Array.from({ length: right.length + 1 }, () => 0));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row !== undefined)
        row[j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && left[i] === right[j]) {
      lines.push({ kind: "same", text: left[i] ?? "" });
      i += 1;
      j += 1;
    } else if (j >= right.length || (i < left.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: "removed", text: left[i] ?? "" });
      i += 1;
    } else {
      lines.push({ kind: "added", text: right[j] ?? "" });
      j += 1;
    }
  }
  return lines;
}
