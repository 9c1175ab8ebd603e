import type { SnapshotEntry } from "./snapshot.ts";

type Entries = ReadonlyMap<string, SnapshotEntry>;

/** Minimum share of common lines in a renamed file. Same as in git. */
const MIN_SIMILARITY = 0.5;

/**
 * Finds the removed alias that each added alias comes from. Tries the same path, then the same
 * content, then half of the lines in common. Each removed alias is used only once.
 */
export function findOrigins(before: Entries, after: Entries): Map<string, string> {
  const origins = new Map<string, string>();
  const removed = new Map([...before].filter(([alias]) => !after.has(alias)));
  const added = [...after].filter(([alias]) => !before.has(alias));
  const likenesses: ((old: SnapshotEntry, fresh: SnapshotEntry) => number)[] = [
    (old, fresh) => Number(old.path === fresh.path),
    (old, fresh) => Number(old.sha256 === fresh.sha256),
    similarity,
  ];
  for (const likeness of likenesses)
    for (const [alias, fresh] of added) {
      if (origins.has(alias)) continue;
      const [best] = [...removed]
        .map(([was, old]) => ({ was, share: likeness(old, fresh) }))
        .filter(({ share }) => share >= MIN_SIMILARITY)
        .sort((a, b) => b.share - a.share);
      if (best === undefined) continue;
      origins.set(alias, best.was);
      removed.delete(best.was);
    }
  return origins;
}

/** Returns the share of the longer text's lines that are in both texts, or 0 if a text is unknown. */
function similarity({ text: old }: SnapshotEntry, { text: fresh }: SnapshotEntry): number {
  if (old === undefined || fresh === undefined) return 0;
  const [oldLines, freshLines] = [wordedLines(old), wordedLines(fresh)];
  const left = new Map<string, number>();
  for (const line of oldLines) left.set(line, (left.get(line) ?? 0) + 1);
  const common = freshLines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0;
  });
  return common.length / Math.max(oldLines.length, freshLines.length, 1);
}

/** Returns the lines with words. Brackets and blank lines say nothing about a file. */
function wordedLines(text: string): string[] {
  return text.split("\n").filter((line) => /[\p{L}\p{N}]/u.test(line));
}
