import { diffArrays } from "diff";

import type { ChangeLine } from "./file-change.ts";

/** Texts that differ in more lines become one change between their common start and end. */
const MAX_DIFFERENT = 4_000;

/** Diffs two texts into a hunk's lines. Common lines in the same order are kept. */
export function diffLines(old: readonly string[], fresh: readonly string[]): ChangeLine[] {
  const parts = diffArrays([...old], [...fresh], { maxEditLength: MAX_DIFFERENT });
  if (parts !== undefined)
    return parts.flatMap(({ value, added, removed }) =>
      marked(added ? "+" : removed ? "-" : " ", value),
    );
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  return [
    ...marked(" ", old.slice(0, start)),
    ...marked("-", old.slice(start, old.length - end)),
    ...marked("+", fresh.slice(start, fresh.length - end)),
    ...marked(" ", old.slice(old.length - end)),
  ];
}

function marked(mark: ChangeLine["mark"], lines: readonly string[]): ChangeLine[] {
  return lines.map((text) => ({ mark, text }));
}
