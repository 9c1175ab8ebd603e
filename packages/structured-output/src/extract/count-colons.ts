/** Upper bound on `maxDepth`, because checks are recursive. */
export const DEEPEST_LIMIT = 2000;

/**
 * Counts the colons outside strings. JSON has one per field. Returns undefined if brackets nest deeper than the limit,
 * since the engine takes seconds to parse megabytes of open brackets.
 */
export function countColons(text: string, limit: number): number | undefined {
  let depth = 0;
  let colons = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = stringEnd(text, at);
      if (at < 0) break;
    } else if (code === 0x3a) colons += 1;
    else {
      depth += depthChange(code);
      if (depth > limit) return undefined;
    }
  }
  return colons;
}

/** Returns the closing quote's offset, or -1. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let firstSlash = at;
    while (text.charCodeAt(firstSlash - 1) === 0x5c) firstSlash -= 1;
    if ((at - firstSlash) % 2 === 0) return at;
  }
  return -1;
}

/** Returns 1 for `[` and `{`, -1 for `]` and `}`. The codes of a pair differ in one bit. */
function depthChange(code: number): number {
  const folded = code | 0x20;
  return folded === 0x7b ? 1 : folded === 0x7d ? -1 : 0;
}
