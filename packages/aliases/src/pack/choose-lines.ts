import type { ReadFile } from "../rank/rank-files.ts";

/** A part of a file that may be shown in a pack. */
export interface Pick {
  source: ReadFile;
  /** 1-based, inclusive. Absent if `outline` is shown instead. */
  ranges?: [first: number, last: number][] | undefined;
  outline?: string | undefined;
  /** Outlined names for which the parser could read only one line. */
  unread?: string[] | undefined;
}

/** Returns whole files in focus by rank, then chunks by value per character. */
export function orderByWorth(read: readonly ReadFile[]): Pick[] {
  const focus = read
    .filter(({ isFocus }) => isFocus)
    .map((source): Pick => ({ source, ranges: [[1, source.lines.length]] }));
  const chunks = read
    .flatMap((source) => source.chunks.map((chunk) => ({ source, chunk })))
    .sort((a, b) => b.chunk.density - a.chunk.density);
  return [
    ...focus,
    ...chunks.map(({ source, chunk }): Pick => {
      const enclosing = chunk.enclosing.map((line): [number, number] => [line, line]);
      return { source, ranges: [...enclosing, [chunk.firstLine, chunk.lastLine]] };
    }),
  ];
}

/** The parts of a file that were picked. */
export interface ShownFile {
  source: ReadFile;
  /** 0-based. */
  lines: boolean[];
  outline: string | undefined;
  unread: string[];
}

/** Groups picks by file, in rank order. */
export function collectPicks(picks: readonly Pick[]): ShownFile[] {
  const shown = new Map<ReadFile, ShownFile>();
  for (const { source, ranges = [], outline, unread = [] } of picks) {
    let file = shown.get(source);
    if (file === undefined) {
      file = { source, lines: source.lines.map(() => false), outline: undefined, unread };
      shown.set(source, file);
    }
    file.outline = outline ?? file.outline;
    for (const [first, last] of ranges) file.lines.fill(true, first - 1, last);
  }
  return [...shown.values()].sort((a, b) => a.source.file.rank - b.source.file.rank);
}
