import { parse } from "node:path";

import type { TokenCounter } from "@ccl/core";

/** Where a file of the pack begins, in any style. */
const HEADER = /^(?:={3,} |## |<file\d* )/;

/** Parts of up to so many tokens, cut before a file where one begins in a part's second half, else at a line. */
export function splitPack(text: string, maxTokens: number, counter: TokenCounter): string[] {
  const lines = text.split("\n");
  const parts: string[] = [];
  for (let start = 0; start < lines.length;) {
    const title = parts.length === 0 ? "" : `(part ${parts.length + 1})\n`;
    let end = lastFitting(lines, start, { maxTokens, counter, title });
    if (end < lines.length) {
      const middle = start + Math.floor((end - start) / 2);
      const header = lines.findLastIndex((line, at) => at <= end && HEADER.test(line));
      if (header > middle) end = header;
    }
    parts.push(title + lines.slice(start, end).join("\n"));
    start = end;
  }
  return parts;
}

/** The end of the longest run of lines that fits; never less than one line. */
export function lastFitting(
  lines: readonly string[],
  start: number,
  { maxTokens, counter, title }: { maxTokens: number; counter: TokenCounter; title: string },
): number {
  let low = start + 1;
  for (let high = lines.length; low < high;) {
    const middle = Math.ceil((low + high) / 2);
    if (counter.count(title + lines.slice(start, middle).join("\n")) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** `pack.md` as `pack.2.md`. */
export function partName(path: string, number: number): string {
  const { dir, name, ext } = parse(path);
  return `${dir === "" ? "" : `${dir}/`}${name}.${number}${ext}`;
}
