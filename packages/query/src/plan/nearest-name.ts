const maxLength = 64;

/** Returns the name with the fewest edits, if there are few enough for a typo. The first one wins a tie. */
export function nearestName(wanted: string, names: Iterable<string>): string | undefined {
  const target = wanted.toLowerCase().slice(0, maxLength);
  let best: { name: string; edits: number } | undefined;
  for (const name of names) {
    const candidate = name.toLowerCase().slice(0, maxLength);
    const isInside =
      target.length > 2 &&
      (candidate.includes(target) || target.includes(candidate)) &&
      candidate.length > 2;
    const edits = isInside
      ? 0.5 + Math.abs(candidate.length - target.length) / 100
      : editDistance(target, candidate);
    if (best === undefined || edits < best.edits) best = { name, edits };
  }
  return best !== undefined && best.edits <= Math.max(1, Math.ceil(target.length / 3))
    ? best.name
    : undefined;
}

/** Returns ` Did you mean "x"?` if one of the names is similar. */
export function nearestHint(wanted: string, names: Iterable<string>): string {
  const near = nearestName(wanted, names);
  return near === undefined ? "" : ` Did you mean ${quotedName(near)}?`;
}

/** Quotes a name. Cuts long names. */
export function quotedName(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}...` : name);
}

/**
 * True if the two names probably mean the same: there is a typo, the separators differ, or one is a prefix or
 * suffix of the other.
 */
export function isSlipOf(wanted: string, name: string): boolean {
  const [left = "", right = ""] = [wanted, name].map((text) =>
    text
      .toLowerCase()
      .slice(0, maxLength)
      .replace(/[^\p{L}\p{N}]/gu, ""),
  );
  const [short = "", long = ""] = left.length < right.length ? [left, right] : [right, left];
  if (short.length > 3 && (long.startsWith(short) || long.endsWith(short))) return true;
  return editDistance(left, right) <= Math.max(1, Math.floor(left.length / 4));
}

/** Counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment distance). */
function editDistance(left: string, right: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1];
      const replaced = (previous[column - 1] ?? 0) + (isSame ? 0 : 1);
      const shortest = Math.min(
        replaced,
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
      );
      const isSwap =
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1];
      current.push(isSwap ? Math.min(shortest, (before[column - 2] ?? 0) + 1) : shortest);
    }
    before = previous;
    previous = current;
  }
  return previous[right.length] ?? 0;
}
