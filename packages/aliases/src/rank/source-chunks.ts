/**
 * A range of lines that is shown or omitted as a unit: a function, a member, or a few small
 * declarations.
 */
export interface SourceChunk {
  /** 1-based, inclusive. */
  firstLine: number;
  lastLine: number;
  /** Earlier lines that enclose the chunk, such as the first line of its class. Outermost first. */
  enclosing: number[];
}

const MAX_LINES = 24;
/** Adjacent chunks are joined up to this many lines. */
const MIN_LINES = 10;
const MAX_DEPTH = 40;
/** Matches lines that end or continue the block above. No chunk starts with them. */
const CONTINUATION =
  /^\s*(?:[)\]}>]|else\b|elif\b|except\b|catch\b|finally\b|end\b|<\/|\*\/|case\b|default:)/;

interface Line {
  /** Width of the indentation in columns. -1 for a blank line. */
  indent: number;
  isContinuation: boolean;
}

/**
 * Splits a file at indentation changes and blank lines. Needs no parser and treats all languages
 * alike.
 */
export function splitIntoChunks(lines: readonly string[]): SourceChunk[] {
  const read = lines.map((line, at): Line => {
    return { indent: indentOf(line), isContinuation: isContinuation(line, lines[at - 1]) };
  });
  const chunks: SourceChunk[] = [];
  const levels = read.map((_, at) => cutLevel(read, at));
  const split = (first: number, last: number, depth: number): void => {
    if (last - first < MAX_LINES || depth > MAX_DEPTH) {
      chunks.push({
        firstLine: first + 1,
        lastLine: last + 1,
        enclosing: enclosingLines(read, first),
      });
      return;
    }
    const parts = joinSmall(cutAtLowest(levels, first, last));
    for (const [from, to] of parts) split(from, to, parts.length === 1 ? MAX_DEPTH + 1 : depth + 1);
  };
  if (lines.length > 0) split(0, lines.length - 1, 0);
  return chunks;
}

/** Returns the columns before the first character, counting a tab as 4. Returns -1 for a blank line. */
export function indentOf(line: string): number {
  const space = /^\s*/.exec(line)?.[0] ?? "";
  return space.length === line.length ? -1 : space.replaceAll("\t", "    ").length;
}

/**
 * True for a line that ends or continues the block above, such as `} else {`, and for a brace on
 * its own line that opens a block.
 */
export function isContinuation(line: string, before = ""): boolean {
  return CONTINUATION.test(line) || (line.trim() === "{" && /[^\s,([{}]\s*$/.test(before));
}

/** Returns the indentation of a paragraph that starts at a line, or Infinity if none starts there. */
function cutLevel(lines: readonly Line[], at: number): number {
  const line = lines[at];
  const before = lines[at - 1];
  if (line === undefined || before === undefined || line.indent < 0 || line.isContinuation)
    return Number.POSITIVE_INFINITY;
  if (before.indent < 0 || before.indent > line.indent) return line.indent;
  if (before.indent < line.indent) return line.indent + 0.5;
  return before.isContinuation ? line.indent : Number.POSITIVE_INFINITY;
}

type Range = [first: number, last: number];

/** Cuts at the outermost paragraphs, or every `MAX_LINES` lines if there are none. */
function cutAtLowest(levels: readonly number[], first: number, last: number): Range[] {
  let lowest = Number.POSITIVE_INFINITY;
  for (let at = first + 1; at <= last; at += 1) lowest = Math.min(lowest, levels[at] ?? lowest);
  const ranges: Range[] = [];
  let start = first;
  for (let at = first + 1; at <= last; at += 1) {
    const isCut =
      lowest === Number.POSITIVE_INFINITY ? at - start >= MAX_LINES : levels[at] === lowest;
    if (!isCut) continue;
    ranges.push([start, at - 1]);
    start = at;
  }
  return [...ranges, [start, last]];
}

function joinSmall(ranges: readonly Range[]): Range[] {
  const joined: Range[] = [];
  for (const [first, last] of ranges) {
    const before = joined.at(-1);
    if (before !== undefined && last - before[0] < MIN_LINES) before[1] = last;
    else joined.push([first, last]);
  }
  return joined;
}

function enclosingLines(lines: readonly Line[], first: number): number[] {
  const start = lines.slice(first).find(({ indent }) => indent >= 0)?.indent ?? 0;
  const found: number[] = [];
  for (let at = first - 1, limit = start; at >= 0 && limit > 0; at -= 1) {
    const { indent = -1, isContinuation = true } = lines[at] ?? {};
    if (indent < 0 || indent >= limit || isContinuation) continue;
    limit = indent;
    found.unshift(at + 1);
  }
  return found;
}
