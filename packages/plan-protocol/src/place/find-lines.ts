/** Finds where a run of lines occurs in a file. Takes linear time, however often lines repeat. */
export function findLines(lines: readonly string[], wanted: readonly string[]): number[] {
  const fallback = fallbacks(wanted);
  const places: number[] = [];
  let matched = 0;
  for (const [index, line] of lines.entries()) {
    while (matched > 0 && line !== wanted[matched]) matched = fallback[matched - 1] ?? 0;
    if (line === wanted[matched]) matched += 1;
    if (matched < wanted.length) continue;
    places.push(index + 1 - wanted.length);
    matched = fallback[matched - 1] ?? 0;
  }
  return places;
}

/**
 * Computes the Knuth-Morris-Pratt failure function: for each match length, the longest suffix that is also a prefix.
 */
function fallbacks(wanted: readonly string[]): number[] {
  const table = [0];
  let length = 0;
  for (const line of wanted.slice(1)) {
    while (length > 0 && line !== wanted[length]) length = table[length - 1] ?? 0;
    if (line === wanted[length]) length += 1;
    table.push(length);
  }
  return table;
}
